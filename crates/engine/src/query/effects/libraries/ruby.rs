//! Libraries of Ruby.

use super::*;

pub const LIBRARIES: &[Library] = &[
    on(FileSystem, "File")
        .writes(
            "delete unlink rename write binwrite symlink link chmod chown truncate utime mkfifo",
        )
        .reads(
            "read readlines foreach binread exist? file? directory? size stat readlink readable?",
        ),
    on(FileSystem, "File IO Kernel").or_free().opens("open new"),
    on(FileSystem, "IO")
        .writes("write binwrite copy_stream")
        .reads("read readlines foreach binread"),
    on(FileSystem, "FileUtils").writes(
        "rm rm_f rm_r rm_rf remove remove_dir remove_entry remove_file mkdir mkdir_p \
             makedirs mkpath rmdir cp cp_r copy mv move ln ln_s ln_sf touch install chmod \
             chmod_R chown chown_R",
    ),
    on(FileSystem, "Dir")
        .writes("mkdir rmdir delete unlink mktmpdir chdir")
        .reads("glob entries children each_child exist? []"),
    on(FileSystem, "Pathname")
        .writes(
            "write binwrite delete unlink mkdir mkpath rmtree rmdir rename make_link \
             make_symlink",
        )
        .reads("read readlines exist? file? directory? children entries glob each_line"),
    on(FileSystem, "Tempfile").writes("new create open"),
    on(Network, "Net.HTTP HTTP")
        .writes("get get_response post post_form put patch delete head start request get_print"),
    on(Network, "HTTParty Faraday RestClient Typhoeus Excon HTTPX")
        .writes("get post put patch delete head new execute"),
    on(Network, "URI OpenURI").writes("open"),
    on(Network, "TCPSocket UDPSocket UNIXSocket TCPServer Socket").writes("new open"),
    on(Network, "")
        .or_receiver("connection http")
        .writes("get post put patch delete"),
    on(Process, "Kernel Process")
        .or_free()
        .writes("system spawn exec fork ` kill"),
    on(Process, "Open3").writes("capture2 capture2e capture3 popen2 popen3 popen2e"),
    on(Process, "IO").writes("popen"),
];
