"""A session of the official Python client library with the server.

usage: python_client.py BINARY

Lists the tools of each toolset and calls some of them, failures too, in a folder of its own.
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


async def run(binary, toolset, talk):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "root")
        root.mkdir()
        arguments = ["serve", "--toolset", toolset, "--policy", "trust", "--root", str(root), "--state", folder + "/state"]
        async with stdio_client(StdioServerParameters(command=binary, args=arguments)) as (read, write):
            async with ClientSession(read, write) as session:
                hello = wire(await session.initialize())
                check("the server's name", hello.serverInfo["name"] == "kitbag")
                await talk(session, root)


asyncio.run(run(sys.argv[1], "fiz", fiz))
asyncio.run(run(sys.argv[1], "local", local))
print(f"{PASSED} passed, 0 failed")
