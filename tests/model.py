# SPDX-License-Identifier: Apache-2.0
"""A model that wants one tool and then is content: enough for a real coding agent to work with, without anybody's
service. usage: model.py PORT_FILE TOOL INPUT_JSON; to Codex, tools of an MCP server are SERVER/TOOL. Speaks as Anthropic's and OpenAI's servers do."""
import http.server
import json
import os
import sys

TOOL, INPUT = sys.argv[2], sys.argv[3]


def events(some):
    return "".join("event: %s\ndata: %s\n\n" % (e["type"], json.dumps(e)) for e in some)


def anthropic(request):
    used = any(
        isinstance(m["content"], list) and any(b.get("type") == "tool_result" for b in m["content"])
        for m in request["messages"]
    )
    tools = [t.get("name") for t in request.get("tools", [])]
    message = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [], "stop_reason": None,
               "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    if used or TOOL not in tools:
        block, part, reason = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}, "end_turn"
    else:
        block = {"type": "tool_use", "id": "toolu_1", "name": TOOL, "input": {}}
        part, reason = {"type": "input_json_delta", "partial_json": INPUT}, "tool_use"
    return events([
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": part},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ])


def openai(request):
    used = any("output" in i.get("type", "") for i in request["input"])
    if used:
        item = {"type": "message", "role": "assistant", "id": "a", "content": [{"type": "output_text", "text": "done"}]}
    else:
        server, _, name = TOOL.rpartition("/")
        item = {"type": "function_call", "id": "c", "call_id": "c1", "name": name, "arguments": INPUT}
        if server:
            item["namespace"] = server
    usage = {"input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None, "total_tokens": 2}
    return events([
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "usage": usage}},
    ])


class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "{}")
        if "messages" in request and "count_tokens" not in self.path:
            self.answer(anthropic(request), "text/event-stream")
        elif "input" in request:
            with open(sys.argv[1] + ".seen", "a") as seen:
                seen.write(json.dumps(request) + "\n")
            self.answer(openai(request), "text/event-stream")
        else:
            self.answer('{"input_tokens": 1}', "application/json")

    def do_GET(self):
        self.answer("{}", "application/json")

    def answer(self, text, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
with open(sys.argv[1] + ".new", "w") as file:
    file.write(str(server.server_port))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
