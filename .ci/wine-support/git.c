/* For tests under Wine: a git.exe that has git.py, outside of Wine, run the machine's own git.
   Wine can start programs of Linux, but cannot wait for them. */
#include <winsock2.h>
#include <windows.h>
#include <shellapi.h>
#include <stdio.h>
#include <stdlib.h>

static SOCKET server;

static void fail(const char *what)
{
    fprintf(stderr, "git.exe for tests: %s\n", what);
    exit(125);
}

static void put(const char *bytes, int length)
{
    while (length > 0) {
        int sent = send(server, bytes, length, 0);
        if (sent <= 0)
            fail("git.py does not listen");
        bytes += sent;
        length -= sent;
    }
}

/* A kind, a length and the text in UTF-8. */
static void put_text(char kind, const WCHAR *text)
{
    char header[32];
    int length = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL) - 1;
    char *bytes = malloc(length + 1);
    WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes, length + 1, NULL, NULL);
    put(header, sprintf(header, "%c %d\n", kind, length));
    put(bytes, length);
    free(bytes);
}

static int get(char *bytes, int length)
{
    int received = 0;
    while (received < length) {
        int n = recv(server, bytes + received, length - received, 0);
        if (n <= 0)
            fail("git.py ended");
        received += n;
    }
    return received;
}

int main(void)
{
    WSADATA data;
    struct sockaddr_in address = { 0 };
    char buffer[65536], header[32];
    const char *port = getenv("GIT_SERVER_PORT");
    WCHAR directory[32768], **arguments, *variable;
    int i, n, code, lengths[2];
    DWORD read;

    WSAStartup(MAKEWORD(2, 2), &data);
    server = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_family = AF_INET;
    address.sin_port = htons(port ? atoi(port) : 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(server, (struct sockaddr *)&address, sizeof address))
        fail("git.py does not run");

    GetCurrentDirectoryW(32768, directory);
    put_text('d', directory);
    arguments = CommandLineToArgvW(GetCommandLineW(), &n);
    for (i = 1; i < n; i++)
        put_text('a', arguments[i]);
    for (variable = GetEnvironmentStringsW(); *variable; variable += wcslen(variable) + 1)
        if (!wcsncmp(variable, L"GIT_", 4))
            put_text('e', variable);
    while (ReadFile(GetStdHandle(STD_INPUT_HANDLE), buffer, sizeof buffer, &read, NULL) && read) {
        put(header, sprintf(header, "i %lu\n", (unsigned long)read));
        put(buffer, read);
    }
    put(".\n", 2);

    for (i = 0; i < 32; i++) {
        get(header + i, 1);
        if (header[i] == '\n')
            break;
    }
    if (sscanf(header, "%d %d %d", &code, &lengths[0], &lengths[1]) != 3)
        fail("git.py answers in riddles");
    for (i = 0; i < 2; i++) {
        HANDLE to = GetStdHandle(i ? STD_ERROR_HANDLE : STD_OUTPUT_HANDLE);
        while (lengths[i] > 0) {
            n = get(buffer, lengths[i] < (int)sizeof buffer ? lengths[i] : (int)sizeof buffer);
            WriteFile(to, buffer, n, &read, NULL);
            lengths[i] -= n;
        }
    }
    return code;
}
