//! Messages on a pipe: `Content-Length: n`, an empty line, n bytes. The reader believes nothing it
//! is told beyond its caps.

use std::io::{self, BufRead, Read, Write};

/// The longest message we take. The largest honest ones (all symbols of a large project) are a
/// tenth of this.
pub const LONGEST_MESSAGE: usize = 64 << 20;
/// The longest header line, and how many of them.
const LONGEST_LINE: u64 = 4096;
const MOST_LINES: usize = 16;

#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("the pipe failed: {0}")]
    Pipe(#[from] io::Error),
    #[error("it sent what is no message: {0:?}")]
    Garbage(String),
    #[error("it announced a message of {0} bytes, over the cap of {LONGEST_MESSAGE}")]
    TooLong(u64),
}

/// The next message, or `None` at the end of the stream.
pub fn read_message(from: &mut impl BufRead) -> Result<Option<Vec<u8>>, FrameError> {
    let mut length = None;
    for n_lines in 0..MOST_LINES {
        let mut line = Vec::new();
        let n = from
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)?;
        if n == 0 && n_lines == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if text.is_empty() && line.ends_with(b"\n") {
            let length: u64 = length
                .ok_or_else(|| FrameError::Garbage("a header without Content-Length".into()))?;
            if length > LONGEST_MESSAGE as u64 {
                return Err(FrameError::TooLong(length));
            }
            return read_body(from, length).map(Some);
        }
        let garbage = || FrameError::Garbage(text.chars().take(80).collect());
        let (name, value) = text.split_once(':').ok_or_else(garbage)?;
        if name.trim().eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse().map_err(|_| garbage())?);
        }
    }
    Err(FrameError::Garbage("a header without end".into()))
}

pub fn write_message(to: &mut impl Write, body: &[u8]) -> io::Result<()> {
    // One write for small messages: a reader then wakes once.
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    to.write_all(&frame)?;
    to.flush()
}

/// The body grows as it arrives: an announced length reserves nothing.
fn read_body(from: &mut impl BufRead, length: u64) -> Result<Vec<u8>, FrameError> {
    let mut body = Vec::with_capacity((length as usize).min(1 << 16));
    from.by_ref().take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Err(FrameError::Pipe(io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
        read_message(&mut io::BufReader::with_capacity(3, bytes)).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_written_is_read() {
        let mut pipe = Vec::new();
        write_message(&mut pipe, b"{}").unwrap();
        write_message(&mut pipe, "\"\u{1f9ed}\"".as_bytes()).unwrap();
        let mut reader = io::BufReader::new(&pipe[..]);
        assert_eq!(
            read_message(&mut reader).unwrap().as_deref(),
            Some(&b"{}"[..])
        );
        assert_eq!(
            read_message(&mut reader).unwrap().as_deref(),
            Some("\"\u{1f9ed}\"".as_bytes())
        );
        assert!(read_message(&mut reader).unwrap().is_none());
    }

    #[test]
    fn other_headers_and_bare_newlines_are_taken() {
        assert_eq!(
            read(b"Content-Type: x\ncontent-length:2\n\nhi"),
            Ok(Some(b"hi".to_vec()))
        );
    }

    #[test]
    fn garbage_ends_the_conversation() {
        assert!(
            read(b"Listening on port 5\n")
                .unwrap_err()
                .contains("Listening")
        );
        assert!(
            read(b"Content-Length: -1\r\n\r\n")
                .unwrap_err()
                .contains("-1")
        );
        assert!(
            read(b"\r\n\r\n")
                .unwrap_err()
                .contains("without Content-Length")
        );
        assert!(read(&vec![b'a'; 1 << 20]).unwrap_err().contains("aaaa"));
        assert!(
            read(b"A: b\n".repeat(40).as_slice())
                .unwrap_err()
                .contains("without end")
        );
        assert!(
            read(b"Content-Length: 99999999999\r\n\r\n")
                .unwrap_err()
                .contains("99999999999")
        );
        assert!(read(b"Content-Length: 10\r\n\r\nshort").is_err());
    }
}
