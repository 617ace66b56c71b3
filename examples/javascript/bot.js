// A bot that remembers: a NATS client and JSON are all it needs.
//
//   eval "$(memstream bot show --env)" && node bot.js [space] [user]
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import { connect } from "@nats-io/transport-node";

const TRIES = 5;

/** An id as one token of a subject: every byte that is not visible ASCII is percent-encoded, and so are . * > and %. */
function token(id) {
  return Array.from(new TextEncoder().encode(id), (byte) => {
    const character = String.fromCharCode(byte);
    const isPlain = /[!-~]/.test(character) && !/[.*>%]/.test(character);
    return isPlain ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

/** One person's memory in one space. */
class Memory {
  constructor(connection, space, user) {
    this.connection = connection;
    this.scope = `${token(space)}.${token(user)}`;
  }

  /** Send a command: once this returns, it is on disk. It counts once however often it is sent, thanks to its message_id. */
  send(command, payload) {
    return this.#request(`send.${this.scope}.${command}`, payload, () => true);
  }

  /** Ask a query. Throws if it fails for good. */
  ask(query, payload) {
    return this.#request(`ask.${this.scope}.${query}`, payload, ({ code }) => ["unavailable", "not_caught_up"].includes(code));
  }

  async #request(subject, payload, passes) {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.connection.request(subject, JSON.stringify(payload), { timeout: 5_000 }).then(
        (reply) => reply.json(),
        (error) => ({ error: { code: "unavailable", message: error.message } }), // no reply in time, or nobody listens
      );
      if (!answer.error) return answer;
      if (attempt === TRIES || !passes(answer.error)) throw new Error(`${subject}: ${JSON.stringify(answer.error)}`);
      await pause(200 * attempt);
    }
  }
}

const connection = await connect({
  servers: process.env.MEMSTREAM_URL,
  user: process.env.MEMSTREAM_BOT,
  pass: process.env.MEMSTREAM_PASSWORD,
  inboxPrefix: process.env.MEMSTREAM_INBOX_PREFIX,
});
try {
  const [space = "shop", user = "anna@example.com"] = process.argv.slice(2);
  const memory = new Memory(connection, space, user);

  const said = { session_id: "monday", text: "I am allergic to shrimp.", message_id: randomUUID() };
  const first = await memory.send("user_message", said);
  const again = await memory.send("user_message", said);
  const answered = await memory.send("agent_response", {
    session_id: "monday",
    text: "Noted: no shrimp for you.",
    message_id: randomUUID(),
  });
  for (const { seq } of [first, again, answered]) {
    const { verdict, position } = await memory.ask("outcome", { sequence: seq });
    console.log(`${seq}: ${verdict}, known from position ${position} on`);
  }

  const { position } = await memory.ask("outcome", { sequence: answered.seq });
  const context = await memory.ask("context", {
    query: "Is there shrimp in it?",
    session_id: "tuesday", // another one: what was said in the current session the bot knows already
    min_position: position, // read your writes
  });
  console.log(context.markdown);
} finally {
  await connection.close();
}
