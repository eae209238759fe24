/** Talking to the table: getting in, and acting. */

/** What to say where nobody answers. */
export const NO_ANSWER = "The table does not answer: is boxcars play still running?";

/** Trade the token in the address for a cookie and take it out of the address bar. */
export async function enter() {
  // An address pasted over this one changes nothing but the fragment, which loads no page.
  window.addEventListener("hashchange", () => token() && location.reload());
  const given = token();
  if (!given) return;
  history.replaceState(null, "", location.pathname);
  await post("/api/enter", { token: given });
}

function token() {
  return new URLSearchParams(location.hash.slice(1)).get("token");
}

/** Ask for JSON, or send some: `{status, body}`; status 0 where nobody answers. */
export async function ask(path, values = null) {
  if (values) return post(path, values);
  try {
    const response = await fetch(path, { cache: "no-store" });
    return { status: response.status, body: await response.json() };
  } catch {
    return { status: 0, body: null };
  }
}

/** Lets people act: sends what they saw last, shows what went wrong. */
export class Actions {
  #store;
  #complain;

  constructor(store, complain) {
    this.#store = store;
    this.#complain = complain;
  }

  /** The number of the state that people see now. */
  get rev() {
    return this.#store.state?.rev ?? 0;
  }

  /**
   * Do one action; true if the table took it. Whoever took their time to choose gives the `rev`
   * of what they saw, so that the table can say if it is no longer so.
   */
  async act(name, values = {}) {
    const { status, body } = await post(`/api/actions/${name}`, { rev: this.rev, ...values });
    if (body?.state) this.#store.offer(body.state);
    if (status === 200) return true;
    this.#complain(body?.error ?? NO_ANSWER);
    return false;
  }
}

async function post(path, values) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(values),
    });
    return { status: response.status, body: await response.json().catch(() => null) };
  } catch {
    return { status: 0, body: null };
  }
}
