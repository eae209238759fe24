/** The newest state of the table, and who wants to know what of it. */

export class Store {
  #watchers = [];

  /** Null until the table has sent one. */
  state = null;

  /** Call `draw(state, before)` now and whenever what `select` takes from the state changes. */
  watch(select, draw) {
    const watcher = { select, draw, seen: undefined };
    this.#watchers.push(watcher);
    if (this.state) this.#tell(watcher, null);
  }

  /** Draw everything that is different in this state. */
  set(state) {
    const before = this.state;
    this.state = state;
    for (const watcher of this.#watchers) this.#tell(watcher, before);
    document.documentElement.dataset.rev = state.rev;
  }

  /** Take a state that answers an action, unless a newer one came by itself. */
  offer(state) {
    if (!this.state || this.state.game !== state.game || state.rev > this.state.rev) this.set(state);
  }

  #tell(watcher, before) {
    const wanted = JSON.stringify(watcher.select(this.state));
    if (wanted === watcher.seen) return;
    watcher.seen = wanted;
    watcher.draw(this.state, before);
  }
}
