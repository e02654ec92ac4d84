// Which tabs Kitbag may use: those that the user shares, and those that it opened itself. Kept as
// long as the browser runs, since the worker sleeps now and then.

/** Tabs by id: the conversation that opened one, or '' if the user shares it. */
let known;

async function load() {
  if (!known) known = new Map((await chrome.storage.session.get({ known: [] })).known);
  return known;
}

async function keep() {
  await chrome.storage.session.set({ known: [...known] });
}

export async function isKnown(tab) {
  return (await load()).has(tab);
}

export async function owner(tab) {
  return (await load()).get(tab);
}

export async function add(tab, context) {
  (await load()).set(tab, context);
  await keep();
}

export async function remove(tab) {
  if ((await load()).delete(tab)) await keep();
}

export async function all() {
  return [...(await load()).keys()];
}

export async function ofContext(context) {
  return [...(await load())].filter(([, own]) => own === context && own).map(([tab]) => tab);
}

/** A tab as the protocol describes a target. */
export async function info(tab) {
  const { url, title, openerTabId } = await chrome.tabs.get(tab);
  return {
    targetId: String(tab),
    type: 'page',
    url: url || '',
    title: title || '',
    openerId: openerTabId ? String(openerTabId) : undefined,
    browserContextId: (await owner(tab)) || '',
    attached: false,
  };
}
