/** Follows the table: every state as it comes, and finding back after the line was lost. */

import { ask } from "./api.js";

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;

/**
 * Follow the table from now on. `onState(state)` gets each state; `onLine(line)` is told `open`,
 * `lost` (trying again) or `locked` (this browser may not see the table).
 */
export function follow({ onState, onLine }) {
  let source = null;
  let retryMs = FIRST_RETRY_MS;
  let timer = null;

  const connect = () => {
    clearTimeout(timer);
    source?.close();
    source = new EventSource("/api/events");
    source.addEventListener("state", (message) => {
      retryMs = FIRST_RETRY_MS;
      onLine("open");
      onState(JSON.parse(message.data));
    });
    source.addEventListener("error", lost);
  };

  // A browser's own retry never ends on a refusal, so every retry is ours.
  const lost = async () => {
    source.close();
    clearTimeout(timer);
    const { status } = await ask("/api/state");
    if (status === 401 || status === 403) {
      onLine("locked");
    } else {
      onLine("lost");
    }
    timer = setTimeout(connect, retryMs);
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  };

  // A laptop that slept may hold a dead line for minutes; a new one brings the newest state.
  document.addEventListener("visibilitychange", () => document.hidden || connect());
  window.addEventListener("online", connect);
  connect();
}
