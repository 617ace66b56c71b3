"use strict";
// Everything works without this script. With it, times are those of the browser's zone, buttons do not reload the page, lists grow
// where they are, and what changes elsewhere is seen at once. It keeps nothing, and asks nobody but the server of the page.

const announcer = document.getElementById("announcer");
const WAIT_MS = 400;
const AGAIN_MS = 1500;
const STREAM_AGAIN_MS = 5000;
let shown = location.pathname + location.search;

function announce(text) {
  if (!text) return;
  announcer.textContent = "";
  requestAnimationFrame(() => { announcer.textContent = text; });
}

function writeTimes(root) {
  const language = { en: "en-GB" }[document.documentElement.lang] || document.documentElement.lang;
  const shapes = {
    moment: { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" },
    hour: { hour: "2-digit", minute: "2-digit" },
  };
  for (const time of root.querySelectorAll("time[data-shows]")) {
    const shape = shapes[time.dataset.shows];
    const moment = new Date(time.dateTime);
    if (shape) time.textContent = new Intl.DateTimeFormat(language, shape).format(moment);
    time.title = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "short" }).format(moment);
  }
}

function withoutNews(address) {
  const url = new URL(address, location.href);
  url.searchParams.delete("done");
  url.searchParams.delete("at");
  return url;
}

function place(element) {
  if (!element || element === document.body) return null;
  if (element.id) return "#" + CSS.escape(element.id);
  const form = element.closest("form[id]");
  return form ? "#" + CSS.escape(form.id) + " " + element.localName : null;
}

async function parsed(response) {
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  return next.getElementById("main") ? next : null;
}

function swap(next) {
  shown = location.pathname + location.search;
  const kept = place(document.activeElement);
  document.title = next.title;
  document.getElementById("main").replaceWith(document.adoptNode(next.getElementById("main")));
  const navigation = document.querySelector(".side");
  const fresh = next.querySelector(".side");
  if (navigation && fresh) navigation.replaceWith(document.adoptNode(fresh));
  const main = document.getElementById("main");
  writeTimes(document);
  const again = kept && document.querySelector(kept);
  if (again) again.focus({ preventScroll: true });
  announce(main.dataset.announce);
}

async function sendInPlace(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter));
  const response = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } });
  const next = await parsed(response);
  if (!next) { location.reload(); return; }
  const there = withoutNews(response.url);
  if (response.ok && there.href !== withoutNews(location.href).href) { history.pushState(null, "", there); scrollTo(0, 0); }
  swap(next);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || !form.hasAttribute("data-in-place")) return;
  event.preventDefault();
  if (form.dataset.busy) return;
  form.dataset.busy = "yes";
  sendInPlace(form, event.submitter).catch(() => { delete form.dataset.busy; announce(announcer.dataset.failed); form.submit(); });
});

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-more]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (link.dataset.busy) return;
  link.dataset.busy = "yes";
  try {
    const next = await parsed(await fetch(link.href, { headers: { Accept: "text/html" } }));
    const added = [...next.querySelectorAll("[data-list] > *")].map((node) => document.adoptNode(node));
    const list = document.querySelector("[data-list]");
    list.append(...added);
    const more = next.querySelector("a[data-more]");
    if (more) link.replaceWith(document.adoptNode(more)); else link.remove();
    writeTimes(list);
    announce(announcer.dataset.more);
    const first = added.map((node) => node.querySelector("a")).find(Boolean);
    if (first) first.focus();
    list.dataset.grown = "yes";
  } catch { location.href = link.href; }
});

function isBusy(main) {
  const at = document.activeElement;
  if (at && main.contains(at) && at.matches("input, textarea, select")) return true;
  if (main.querySelector("details[open], [data-grown]")) return true;
  return [...main.querySelectorAll("input, textarea")].some((field) => field.type !== "hidden" && field.value !== field.defaultValue);
}

async function look() {
  const next = await parsed(await fetch(withoutNews(location.href), { headers: { Accept: "text/html" } }));
  if (next) swap(next);
}

function offer() {
  if (document.querySelector(".changed")) return;
  const pill = document.createElement("div");
  const button = document.createElement("button");
  pill.className = "changed";
  button.type = "button";
  button.textContent = announcer.dataset.show;
  button.addEventListener("click", () => { pill.remove(); look(); });
  pill.append(announcer.dataset.changed, button);
  document.body.append(pill);
  announce(announcer.dataset.changed);
}

function refresh() {
  const main = document.getElementById("main");
  if (!main.hasAttribute("data-live")) return;
  if (isBusy(main)) offer(); else look().catch(() => {});
}

let stream = null;
let due = 0;
function follow() {
  const wanted = document.visibilityState === "visible" && document.querySelector("main[data-live]");
  if (!wanted && stream) { stream.close(); stream = null; }
  if (!wanted || stream) return;
  stream = new EventSource("/v1/memory/events");
  stream.addEventListener("error", () => {
    if (!stream || stream.readyState !== EventSource.CLOSED) return;
    stream = null;
    setTimeout(follow, STREAM_AGAIN_MS);
  });
  stream.addEventListener("change", () => { clearTimeout(due); due = setTimeout(refresh, WAIT_MS); });
}

// A receipt that is not complete is looked at again: not every step of an erasure is an event.
setInterval(() => {
  if (document.visibilityState === "visible" && document.querySelector("main [data-goes-on]")) look().catch(() => {});
}, AGAIN_MS);

document.addEventListener("visibilitychange", follow);
// A place within the page, as `#main`, is one more entry of the history and no other page.
addEventListener("popstate", () => { if (location.pathname + location.search !== shown) location.reload(); });
addEventListener("pagehide", () => { if (stream) { stream.close(); stream = null; } });
addEventListener("pageshow", follow);
writeTimes(document);
