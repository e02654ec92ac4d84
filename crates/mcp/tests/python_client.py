"""A session of the official Python client library with the server.

usage: python_client.py BINARY

Lists the tools of each toolset and calls some of them, failures too, in a directory of its own.
Closes with 'N passed, 0 failed'; a check that does not hold ends it.
"""
import asyncio, pathlib, sys, tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

PASSED = 0


def check(what, holds):
    global PASSED
    if not holds:
        raise SystemExit(f"FAILED: {what}")
    PASSED += 1


class Wire(dict):
    """An answer by the names on the wire, which is the same for every version of the library."""

    __getattr__ = dict.get


def wire(answer):
    return Wire(answer.model_dump(by_alias=True, mode="json"))


def text(result):
    return "".join(part["text"] for part in result.content)


async def fiz(session, root):
    listed = wire(await session.list_tools())
    names = [tool["name"] for tool in listed.tools]
    check("nine tools in order", names == ["bash", "edit", "find", "grep", "ls", "patch", "read", "task", "write"])
    check("all hints", all(t["annotations"]["readOnlyHint"] is not None for t in listed.tools))
    written = wire(await session.call_tool("write", {"path": "a/b.txt", "content": "one\r\ntwo\r\n"}))
    check("written", not written.isError and (root / "a/b.txt").read_bytes() == b"one\r\ntwo\r\n")
    edited = wire(await session.call_tool("edit", {"path": "a/b.txt", "edits": [{"oldText": "two", "newText": "2"}]}))
    check("edited", not edited.isError and (root / "a/b.txt").read_bytes() == b"one\r\n2\r\n")
    missed = wire(await session.call_tool("edit", {"path": "a/b.txt", "edits": [{"oldText": "tow", "newText": "2"}]}))
    check("a miss is an error for the model", missed.isError and "edits[0].oldText not found" in text(missed))
    ran = wire(await session.call_tool("bash", {"command": "cat a/b.txt | wc -l; exit 4"}))
    check("a program", not ran.isError and text(ran).startswith("Exit code: 4\n") and "\n2\n" in text(ran))
    outside = wire(await session.call_tool("read", {"path": "/etc/passwd"}))
    check("nothing escapes", outside.isError and "outside the workspace" in text(outside))
    wrong = wire(await session.call_tool("read", {"path": "a/b.txt", "limit": "many"}))
    check("a wrong type names its field", wrong.isError and "limit" in text(wrong))
    found = wire(await session.call_tool("grep", {"pattern": "^o", "glob": "*.txt"}))
    check("grep", text(found).splitlines()[0].startswith("a/b.txt:1:one"))


async def local(session, root):
    listed = wire(await session.list_tools())
    check("eight tools", len(listed.tools) == 8 and all(t["outputSchema"] for t in listed.tools))
    made = wire(await session.call_tool("write_file", {"path": "x.md", "content": "# x\n"}))
    check("structured result", made.structuredContent == {"success": True})
    read = wire(await session.call_tool("read_file", {"path": "x.md"}))
    check("content", read.structuredContent == {"content": "# x\n"})
    missing = wire(await session.call_tool("read_file", {"path": "y.md"}))
    reason = text(missing)
    check("a missing file is an error and says so", missing.isError and '"content":""' in reason and "no such file" in reason)
    listing = wire(await session.call_tool("list_directory", {"path": "."}))
    check("entries", {"name": "x.md", "type": "file"} in listing.structuredContent["entries"])


async def floyd(session, root):
    listed = wire(await session.list_tools())
    check("every tool says what it gives, but for pictures", all(bool(t.get("outputSchema")) != (t["name"] == "browser_screenshot") for t in listed.tools))
    written = wire(await session.call_tool("write_file", {"filePath": "a/b.ts", "content": "// TODO\n// TODO\n"}))
    check("the envelope", written.structuredContent["success"] and written.structuredContent["data"]["bytesWritten"] == 16)
    edited = wire(await session.call_tool("edit_file", {"file_path": "a/b.ts", "oldString": "TODO", "newString": "DONE"}))
    failure = edited.structuredContent["error"]
    check("a failure in the envelope", edited.isError and failure["code"] == "MultipleMatches" and failure["message"])
    edited = wire(await session.call_tool("edit_file", {"filePath": "a/b.ts", "oldStr": "TODO", "newStr": "DONE", "all": True}))
    check("edited", not edited.isError and (root / "a/b.ts").read_text() == "// DONE\n// DONE\n")
    failed = wire(await session.call_tool("run_tests", {"command": "echo 1 failed; exit 1"}))
    failure = failed.structuredContent["error"]
    check("tests that fail come with their output", failed.isError and failure["details"]["output"] == "1 failed\n")
    status = wire(await session.call_tool("git_status", {}))
    check("no repository", status.isError and status.structuredContent["error"]["code"] == "NotAGitRepository")


async def floyd_0_1_0(session, root):
    listed = wire(await session.list_tools())
    check("every tool says what it gives, but for pictures", all(bool(t.get("outputSchema")) != (t["name"] == "browser_screenshot") for t in listed.tools))
    stored = wire(await session.call_tool("cache_store", {"tier": "vault", "key": "k", "value": "v"}))
    check("flat fields", stored.structuredContent["success"] and stored.structuredContent["tier"] == "vault")
    diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n"
    patched = wire(await session.call_tool("apply_unified_diff", {"diff": diff}))
    fields = patched.structuredContent
    check("a failure has the fields of a success", patched.isError and fields["appliedFiles"] == [] and fields["errors"])
    log = wire(await session.call_tool("git_log", {}))
    check("a failure where the list would be", log.isError and "error" in log.structuredContent["commits"])


async def stack(session, root):
    listed = wire(await session.list_tools())
    check("every tool says what it gives, but for pictures", all(bool(t.get("outputSchema")) != (t["name"] == "browser_screenshot") for t in listed.tools))
    ran = wire(await session.call_tool("run", {"command": "echo out; exit 3"}))
    check("an exit code is an answer", not ran.isError and ran.structuredContent["returncode"] == 3 and not ran.structuredContent["success"])
    task = wire(await session.call_tool("create_task", {"title": "Fix it"}))
    task_id = task.structuredContent["task"]["id"]
    updated = wire(await session.call_tool("update_task", {"task_id": task_id, "status": "done", "owner": "me"}))
    check("any field of a task", updated.structuredContent["task"]["owner"] == "me")
    unknown = wire(await session.call_tool("delete_task", {"task_id": "none"}))
    check("an unknown id is an error", unknown.isError and unknown.structuredContent["success"] is False)


async def run(binary, toolset, talk):
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory, "root")
        root.mkdir()
        arguments = ["serve", "--toolset", toolset, "--policy", "trust", "--root", str(root), "--state", directory + "/state", "--cache", directory + "/cache"]
        async with stdio_client(StdioServerParameters(command=binary, args=arguments)) as (read, write):
            async with ClientSession(read, write) as session:
                hello = wire(await session.initialize())
                check("the server's name", hello.serverInfo["name"] == "kitbag")
                await talk(session, root)


asyncio.run(run(sys.argv[1], "fiz", fiz))
asyncio.run(run(sys.argv[1], "local", local))
asyncio.run(run(sys.argv[1], "floyd", floyd))
asyncio.run(run(sys.argv[1], "floyd-0.1.0", floyd_0_1_0))
asyncio.run(run(sys.argv[1], "stack", stack))
print(f"{PASSED} passed, 0 failed")
