"""Adds the bearer token for clients that cannot send one, and nothing else.

The server allows only its own names in Host and Origin, so the proxy's own name is replaced by the server's;
every other name passes as it is, because refusing it is what the server is tested for.
"""

import http.client
import http.server
import threading


def start(upstream_port: int, token: str) -> http.server.ThreadingHTTPServer:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self):
            own, theirs = f"127.0.0.1:{self.server.server_port}", f"127.0.0.1:{upstream_port}"
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            upstream = http.client.HTTPConnection("127.0.0.1", upstream_port, timeout=60)
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() in ("connection", "transfer-encoding", "content-length"):
                    continue
                for alias in (own, own.replace("127.0.0.1", "localhost")):
                    if value in (alias, f"http://{alias}"):
                        value = value.replace(alias, theirs)
                upstream.putheader(name, value)
            upstream.putheader("Content-Length", str(len(body)))
            upstream.putheader("Authorization", f"Bearer {token}")
            upstream.endheaders(body)
            response = upstream.getresponse()
            content = response.read()
            self.send_response(response.status)
            for name, value in response.getheaders():
                if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            upstream.close()

        do_GET = do_POST = do_DELETE = do_PUT = do_OPTIONS = forward

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
