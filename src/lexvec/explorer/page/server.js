// Where answers come from when the page is served by lexvec explore. docs/explorer.md describes them.

export class AnswerError extends Error {
  constructor(record) {
    super(record.error ?? "the server does not answer");
    this.word = record.word;
    this.meant = record.meant ?? [];
  }
}

export class Server {
  async ask(name, parameters = {}, signal = undefined) {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(parameters)) {
      for (const each of [value].flat()) query.append(key, each);
    }
    let answer;
    try {
      answer = await fetch(`/api/${name}?${query}`, { signal });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new AnswerError({ error: "The server does not answer: it was probably stopped." });
    }
    const text = await answer.text();
    if (!answer.ok && !text.startsWith("{")) throw new AnswerError({ error: text.trim() });
    const record = JSON.parse(text);
    if (!answer.ok || (record.error && !record.state)) throw new AnswerError(record);
    return record;
  }

  // Call back with a record for all news, and with {kind: "hello"} whenever the connection is there (again). A page that
  // nobody sees gives its connection back, because a browser has six for all pages of a server.
  listen(callback) {
    let stream = null;
    const follow = () => {
      if (document.hidden === !stream) return;
      stream?.close();
      stream = document.hidden ? null : new EventSource("/api/events");
      stream?.addEventListener("hello", () => callback({ kind: "hello" }));
      stream?.addEventListener("message", (event) => callback(JSON.parse(event.data)));
    };
    document.addEventListener("visibilitychange", follow);
    addEventListener("pageshow", follow);
    addEventListener("pagehide", () => {
      stream?.close();
      stream = null;
    });
    follow();
  }
}
