"""A client for the conformance suite of the protocol: `kitbag run` against the server of one scenario,
with a scripted model behind it and a person in front of it, who answers what a server asks.

usage, with node 22 or later, for each scenario that `... list --client` names and that needs no OAuth:

  npx @modelcontextprotocol/conformance@0.2.0-alpha.12 client --scenario NAME --spec-version 2026-07-28 \\
    --command "python3 crates/mcp/tests/conformance_client.py target/debug/kitbag"
"""
import json, os, pty, select, sys, tempfile, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KITBAG, URL = sys.argv[1:]
SCENARIO = os.environ["MCP_CONFORMANCE_SCENARIO"]
CONTEXT = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
calls = None


def plan(tools):
    """The calls that the model makes, of the tools that it is given."""
    tools = {t["function"]["name"]: t["function"]["parameters"] for t in tools}
    names = sorted(name for name in tools if name.startswith("t__"))
    if SCENARIO == "tools_call":
        return [("t__add_numbers", {"a": 5, "b": 3})]
    if SCENARIO.startswith("json-schema-2020-12"):
        return [("t__json_schema_echo", {"schema": tools["t__json_schema_2020_12_tool"]})]
    given = [("t__" + call["name"], call.get("arguments", {})) for call in CONTEXT.get("toolCalls", [])]
    return [call for call in given if call[0] in names] or [(name, {}) for name in names]


class Model(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        global calls
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if calls is None:
            calls = plan(body.get("tools", []))
        if calls:
            name, args = calls.pop(0)
            function = {"name": name, "arguments": json.dumps(args)}
            call = {"index": 0, "id": f"c{len(calls)}", "type": "function", "function": function}
            delta, end = {"tool_calls": [call]}, "tool_calls"
        else:
            delta, end = {"content": "Done."}, "stop"
        chunks = [{"choices": [{"delta": delta}]}, {"choices": [{"delta": {}, "finish_reason": end}]}]
        out = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(out)))
        self.end_headers()
        self.wfile.write(out.encode())


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
place = tempfile.mkdtemp()
os.mkdir(place + "/root")
with open(place + "/servers.json", "w") as file:
    json.dump({"mcpServers": {"t": {"url": URL}}}, file)
env = dict(os.environ, KITBAG_STATE=place + "/state", XDG_CONFIG_HOME=place, KITBAG_EXTENSION="off")
words = [KITBAG, "run", "go", "--root", place + "/root", "--toolset", "fiz", "--policy", "trust"]
words += ["--model", "m", "--base-url", f"http://127.0.0.1:{server.server_port}/v1"]
words += ["--mcp-config", place + "/servers.json"]
pid, terminal = pty.fork()
if pid == 0:
    os.execvpe(words[0], words, env)
# An empty line takes the default of a field; the forms of one suite have none.
WORDS = b"yes\n" if SCENARIO.startswith("sep-2322") else b"\n"
new = b""
while True:
    try:
        ready, _, _ = select.select([terminal], [], [], 60)
        shown = os.read(terminal, 65536) if ready else b""
    except OSError:  # it closed its end
        shown = b""
    if not shown:
        break
    new += shown
    sys.stderr.buffer.write(shown)
    for prompt, keys in ((b"Allow it? [y]es, [N]o: ", b"y\n"), (b"Your answer: ", WORDS)):
        if prompt in new:
            os.write(terminal, keys)
            new = b""
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
