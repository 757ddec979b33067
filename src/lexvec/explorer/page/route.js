// What the page shows is written in its address after "#", so that a view can be shared and Back works.

export function readRoute(hash) {
  const [view, query = ""] = hash.replace(/^#/, "").split("?");
  return { view: view || "words", ...Object.fromEntries(new URLSearchParams(query)) };
}

export function writeRoute({ view, ...rest }) {
  const given = Object.entries(rest).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(given).toString();
  return `#${view}${query ? `?${query}` : ""}`;
}

export class Router {
  constructor(changed) {
    this.route = readRoute(location.hash);
    this.changed = changed;
    addEventListener("popstate", () => this.follow());
    addEventListener("hashchange", () => this.follow());
  }

  follow() {
    const route = readRoute(location.hash);
    if (writeRoute(route) === writeRoute(this.route)) return;
    this.route = route;
    this.changed(route);
  }

  go(changes) {
    const route = { ...this.route, ...changes };
    const address = writeRoute(route);
    if (address === writeRoute(this.route)) return;
    try {
      history.pushState(null, "", address);
    } catch {
      // A frame inside a notebook may not change its address: then only Back is lost.
    }
    this.route = route;
    this.changed(route);
  }
}
