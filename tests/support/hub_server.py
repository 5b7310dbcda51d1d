"""A Hugging Face hub on this machine, for tests: the two calls that steno makes, and what can go wrong.

    with HubServer() as hub:
        hub.add("org/name", {"config.json": b"{}", "model.safetensors": b"..."}, lfs={"model.safetensors"})
        # HF_ENDPOINT=hub.url

Large files (`lfs`) are redirected to a second server, the CDN. Every request is recorded. Faults are set by
attributes and happen once each, in order. Standard library only.
Source of the answers' shapes: huggingface_hub 1.0 hf_api.py, file_download.py.
"""

import hashlib
import json
import re
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def blob_hash(content):
    """What git calls a file."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class Repository:
    def __init__(self, files, lfs, commit):
        self.files, self.lfs, self.commit = files, lfs, commit

    def hash_of(self, name):
        return sha256(self.files[name]) if name in self.lfs else blob_hash(self.files[name])

    def sibling(self, name):
        row = {"rfilename": name, "size": len(self.files[name]), "blobId": blob_hash(self.files[name])}
        if name in self.lfs:
            row["lfs"] = {"sha256": self.hash_of(name), "size": len(self.files[name]), "pointerSize": 134}
        return row


class Fault:
    """What happens instead of an answer: a status with headers, or only part of the body."""

    def __init__(self, status=None, headers=None, cut_after=None, stall_s=None):
        self.status, self.headers, self.cut_after, self.stall_s = status, headers or {}, cut_after, stall_s


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Clients that go away are what some tests are about."""


class HubServer:
    def __init__(self):
        self.repositories = {}
        self.requests = []  # (server, method and path, headers)
        self.faults = {}  # last part of a path -> [Fault]
        self.served = {}  # file name -> bytes that are sent instead of the true ones
        self.extra_siblings = []  # rows added to every listing
        self.ignores_ranges = False
        self.gated = {}  # repository -> token that opens it
        self.lock = threading.Lock()
        self.hub = self.start("hub")
        self.cdn = self.start("cdn")
        self.url = f"http://127.0.0.1:{self.hub.server_port}"
        # Another name of this machine is another origin.
        self.cdn_url = f"http://localhost:{self.cdn.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in (self.hub, self.cdn):
            server.shutdown()
            server.server_close()

    def start(self, name):
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                with owner.lock:
                    owner.requests.append((name, self.path, dict(self.headers)))
                try:
                    (owner.answer_hub if name == "hub" else owner.answer_cdn)(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

        server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def add(self, repository, files, lfs=(), commit="c0ffee" + "0" * 34):
        self.repositories[repository] = Repository(dict(files), set(lfs), commit)
        return self.repositories[repository]

    def paths(self, server=None):
        return [path for name, path, _ in self.requests if server in (None, name)]

    def take_fault(self, path):
        with self.lock:
            queue = self.faults.get(path.split("?")[0].rsplit("/", 1)[-1])
            return queue.pop(0) if queue else None

    # ---- answers
    def answer_hub(self, handler):
        fault = self.take_fault(handler.path)
        if fault and fault.status:
            return self.send(handler, fault.status, b"{}", fault.headers)
        path = urllib.parse.urlsplit(handler.path).path
        listing = re.fullmatch(r"/api/models/([^/]+/[^/]+)/revision/([^/]+)", path)
        file = re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/([^/]+)", path)
        match = listing or file
        repository = self.repositories.get(match[1]) if match else None
        if repository is None:
            return self.send(handler, 404, b"{}", {"X-Error-Code": "RepoNotFound"})
        token = self.gated.get(match[1])
        if token and handler.headers.get("Authorization") != f"Bearer {token}":
            status = 403 if handler.headers.get("Authorization") else 401
            return self.send(handler, status, b"{}", {"X-Error-Code": "GatedRepo"})
        if urllib.parse.unquote(match[2]) not in ("main", "v1", repository.commit):
            return self.send(handler, 404, b"{}", {"X-Error-Code": "RevisionNotFound"})
        if listing:
            rows = [repository.sibling(name) for name in repository.files] + self.extra_siblings
            return self.send(handler, 200, json.dumps({"sha": repository.commit, "siblings": rows}).encode())
        return self.answer_file(handler, repository, urllib.parse.unquote(match[3]), fault)

    def answer_file(self, handler, repository, name, fault):
        if name not in repository.files:
            return self.send(handler, 404, b"{}", {"X-Error-Code": "EntryNotFound"})
        if name in repository.lfs:
            location = f"{self.cdn_url}/{match_key(repository, name)}?signature=secret"
            return self.send(handler, 302, b"", {
                "Location": location,
                "X-Linked-Etag": f'"{repository.hash_of(name)}"',
                "X-Linked-Size": str(len(repository.files[name])),
                "X-Repo-Commit": repository.commit})
        content = self.served.get(name, repository.files[name])
        self.send_content(handler, content, fault, {"ETag": f'"{repository.hash_of(name)}"'})

    def answer_cdn(self, handler):
        key = handler.path.split("?")[0].lstrip("/")
        fault = self.take_fault(handler.path)
        if fault and fault.status:
            return self.send(handler, fault.status, b"", fault.headers)
        for repository in self.repositories.values():
            for name in repository.lfs:
                if match_key(repository, name) == key:
                    content = self.served.get(name, repository.files[name])
                    return self.send_content(handler, content, fault, {"ETag": '"of-the-storage"'})
        self.send(handler, 404, b"")

    def send_content(self, handler, content, fault, headers):
        wanted = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
        begin = int(wanted[1]) if wanted and not self.ignores_ranges else 0
        if begin and begin >= len(content):
            return self.send(handler, 416, b"")
        if begin:
            headers = {**headers, "Content-Range": f"bytes {begin}-{len(content) - 1}/{len(content)}"}
        self.send(handler, 206 if begin else 200, content[begin:], headers, fault)

    def send(self, handler, status, body, headers=None, fault=None):
        handler.send_response(status)
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if fault is None or (fault.cut_after is None and fault.stall_s is None):
            handler.wfile.write(body)
            return
        handler.wfile.write(body[:fault.cut_after or 0])
        handler.wfile.flush()
        time.sleep(fault.stall_s or 0)
        handler.close_connection = True


def match_key(repository, name):
    """The CDN's name for a file; ends in the file's own name so that faults can be set by it."""
    return f"{repository.commit[:8]}/{name}"
