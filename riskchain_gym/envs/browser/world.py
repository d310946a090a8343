"""A JavaScript world of our own beside the page's: it sees the same document, and the page's scripts cannot see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riskchain_gym.envs.browser.scripts import Function, library_source

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession

_NAME = "observer"
REPLACED = ("Promise was collected", "navigated or closed", "context was destroyed", "Cannot find context")
"""What the browser says of a script whose document was replaced meanwhile."""


class DocumentReplacedError(RuntimeError):
    """Another document has taken the place of the one that was asked."""


class ScriptError(RuntimeError):
    """A function of the world failed on the document."""


class ObserverWorld:
    """Runs the project's functions on whatever document a page's main frame shows.

    They are compiled once a document, before the document's own scripts; a call is one round trip. A page can neither
    replace nor see them, nor what they remember of its elements.

    Args:
        session: A protocol session of the page.
        frame: Id of its main frame.
    """

    def __init__(self, session: CDPSession, frame: str) -> None:
        self._session = session
        self._frame = frame
        self._context: int | None = None
        session.on("Runtime.executionContextCreated", self._enter)
        session.on("Runtime.executionContextDestroyed", self._leave)
        session.on("Runtime.executionContextsCleared", lambda _: self._leave({"executionContextId": self._context}))
        session.send(
            "Page.addScriptToEvaluateOnNewDocument",
            {"source": library_source(), "worldName": _NAME, "runImmediately": True},
        )
        session.send("Runtime.enable")

    def call(self, function: Function, argument: Any = None) -> Any:
        """Run a function on the current document and return its result.

        Args:
            function: Which.
            argument: Its one argument, a JSON value.

        Raises:
            DocumentReplacedError: The document was replaced meanwhile.
            ScriptError: The function failed.
            playwright.sync_api.Error: Browser or page are gone.
        """
        from playwright.sync_api import Error

        if self._context is None:
            raise DocumentReplacedError("the document has not begun yet")
        ask = {
            "functionDeclaration": f"(argument) => observer.{function}(argument)",
            "executionContextId": self._context,
            "arguments": [{"value": argument}],
            "returnByValue": True,
            "awaitPromise": True,
        }
        try:
            answer = self._session.send("Runtime.callFunctionOn", ask)
        except Error as error:
            if any(sign in str(error) for sign in REPLACED):
                raise DocumentReplacedError(str(error)) from error
            raise
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise ScriptError(details.get("exception", {}).get("description", details.get("text", "")))
        return answer["result"].get("value")

    def _enter(self, event: dict[str, Any]) -> None:
        context = event["context"]
        if context["name"] == _NAME and context["auxData"].get("frameId") == self._frame:
            self._context = context["id"]

    def _leave(self, event: dict[str, Any]) -> None:
        if event["executionContextId"] == self._context:
            self._context = None
