"""Answers each customer with an echo. It needs only client.py next to it and the standard library: python3 echo.py"""
import http.server, os, urllib.parse

from client import Postern, verify

postern = Postern(os.environ['POSTERN_URL'], os.environ['POSTERN_KEY'])


def echo(event):
    """Whether the event is processed. It may arrive twice: its id is the idempotency key, so the customer still gets one answer."""
    if event['type'] != 'message.received':
        return True
    data = event['data']
    postern.call('POST', f"/messages/{urllib.parse.quote(data['id'], safe='')}/read", {'typing': True})
    to, content = data['from']['phone_number'] or data['from']['user_id'], data['content'] or {}
    status, _ = postern.send_text(to, f"You wrote: {content.get('body', data['type'])}", event['id'])
    return 200 <= status < 500


class Receiver(http.server.BaseHTTPRequestHandler):
    timeout = 30

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers['Content-Length'] or 0), 1 << 20))
        try:
            event = verify(body, {name.lower(): value for name, value in self.headers.items()}, os.environ['ENDPOINT_SECRET'])
            status = 204 if echo(event) else 503
        except (KeyError, ValueError):
            status = 401
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(('127.0.0.1', int(os.environ.get('PORT', '8080'))), Receiver)
print(f'listening at http://127.0.0.1:{server.server_port}', flush=True)
server.serve_forever()
