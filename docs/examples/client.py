"""A client in Python, with only the standard library: python3 client.py TO TEXT [KEY]"""
import base64, hashlib, hmac, http.client, json, os, random, sys, time, urllib.error, urllib.request, uuid

DEADLINE, ATTEMPTS, ATTEMPT = 60, 4, 30  # seconds, requests, seconds for one request


class NoRedirect(urllib.request.HTTPRedirectHandler):  # a redirect would turn a send into something else
    redirect_request = lambda *_: None


class Postern:
    def __init__(self, base_url, api_key):
        self.base_url, self.api_key = base_url.rstrip('/') + '/v1', api_key

    def call(self, method, path, body=None, key=None, repeatable=True):
        """Returns the status and the JSON of the response. Status 0 means that the connection broke, so it is unknown whether the gateway processed the request."""
        headers = {'Authorization': 'Bearer ' + self.api_key, 'Content-Type': 'application/json', **({'Idempotency-Key': key} if key else {})}
        data = None if body is None else json.dumps(body).encode()
        ends, asked = time.monotonic() + DEADLINE, 0
        while True:
            request = urllib.request.Request(self.base_url + path, data, headers, method=method)
            left, asked, status, after = ends - time.monotonic(), asked + 1, 0, None
            try:
                try:
                    reply = urllib.request.build_opener(NoRedirect).open(request, timeout=min(ATTEMPT, left))
                except urllib.error.HTTPError as refused:
                    reply = refused
                with reply:
                    text, status, after = reply.read(), reply.status, reply.headers.get('Retry-After')
                if not isinstance(answer := json.loads(text), dict):
                    raise ValueError('not an object')
            except (OSError, http.client.HTTPException) as error:
                status, answer = 0, {'code': 'no_answer', 'message': str(error)}
            except ValueError:
                answer = {'code': 'unexpected_reply', 'message': text.decode(errors='replace')}
            if status in (200, 201, 202):
                return status, answer
            # With the same key, repeated requests send one message. After a 504 the message may have been sent, so it is never repeated.
            waits = answer.get('code') == 'idempotency_in_progress'
            again = repeatable and (waits or status in (0, 429, 503)) and (waits or asked < ATTEMPTS)
            pause = (float(after) if after and after.isdigit() else min(8, 0.125 * 2 ** asked)) * random.uniform(1, 1.25)
            if not again or answer.get('code') == 'sender_not_configured' or time.monotonic() + pause >= ends:
                return status, answer
            time.sleep(pause)

    def send_text(self, to, text, key=None):
        return self.call('POST', '/messages/send-text', {'to': to, 'text': text}, key or uuid.uuid4().hex)

    def wallet(self):
        return self.call('GET', '/wallet')


def verify(body, headers, secret):
    """Returns the event of a delivery (bytes, headers by their names in lower case), or raises ValueError."""
    if not abs(time.time() - int(headers['webhook-timestamp'])) <= 300:
        raise ValueError('the delivery is older than five minutes, or from the future')
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    digest = hmac.new(base64.b64decode(secret.removeprefix('whsec_')), signed, hashlib.sha256).digest()
    ours = 'v1,' + base64.b64encode(digest).decode()
    if not any(hmac.compare_digest(ours.encode(), theirs.encode()) for theirs in headers['webhook-signature'].split()):
        raise ValueError('no signature matches')
    return json.loads(body)


if __name__ == '__main__':
    postern = Postern(os.environ['POSTERN_URL'], os.environ['POSTERN_KEY'])
    print(*postern.send_text(*sys.argv[1:]))
