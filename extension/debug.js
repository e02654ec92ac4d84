// The protocol of the browser over chrome.debugger: what Kitbag sends to a browser of its own, done
// in the tabs that it may use. A tab's session is `tab-` and its id; those of its frames are the
// browser's own.

import * as tabs from './tabs.js';

const attached = new Set();
/** Sessions of frames, and the tab that each is in. */
const frames = new Map();

const tabOf = (session) =>
  session.startsWith('tab-') ? Number(session.slice(4)) : frames.get(session);

export const isAttached = (tab) => attached.has(tab);

async function attach(tab) {
  if (attached.has(tab)) return;
  try {
    await chrome.debugger.attach({ tabId: tab }, '1.3');
  } catch (error) {
    // The worker slept, and its attachment outlived it.
    const targets = await chrome.debugger.getTargets();
    const ours = targets.some((one) => one.tabId === tab && one.attached);
    if (!ours) throw error;
    await chrome.debugger.sendCommand({ tabId: tab }, 'Page.enable').catch(() => {
      throw error;
    });
  }
  attached.add(tab);
  await badge(tab);
}

export async function detach(tab) {
  if (!attached.delete(tab)) return;
  await chrome.debugger.detach({ tabId: tab }).catch(() => {});
  await badge(tab);
}

/** Nobody uses the tabs now. */
export async function rest() {
  for (const tab of [...attached]) await detach(tab);
}

/** What the user sees on the button: shared, in use, or nothing. */
export async function badge(tab) {
  const known = await tabs.isKnown(tab);
  const text = attached.has(tab) ? 'USED' : known ? 'ON' : '';
  const color = attached.has(tab) ? '#c5221f' : '#188038';
  await chrome.action.setBadgeText({ tabId: tab, text }).catch(() => {});
  await chrome.action.setBadgeBackgroundColor({ tabId: tab, color }).catch(() => {});
  const title = attached.has(tab) ? 'Kitbag: a model uses this tab' : 'Kitbag';
  await chrome.action.setTitle({ tabId: tab, title }).catch(() => {});
}

async function mayUse(id) {
  const tab = Number(id);
  if (!(await tabs.isKnown(tab))) throw new Error('this tab is not shared');
  return tab;
}

/** What is asked of the browser as a whole. */
const WHOLE = {
  'Target.setDiscoverTargets': async (_, emit) => {
    for (const tab of await tabs.all()) await created(tab, emit);
    return {};
  },
  'Target.getTargets': async () => {
    const all = await Promise.all((await tabs.all()).map((tab) => tabs.info(tab).catch(() => null)));
    return { targetInfos: all.filter(Boolean) };
  },
  'Target.getTargetInfo': async ({ targetId }) => ({ targetInfo: await tabs.info(await mayUse(targetId)) }),
  'Target.createTarget': async ({ url, browserContextId }) => {
    const tab = await chrome.tabs.create({ url, active: false });
    await tabs.add(tab.id, browserContextId || '');
    await badge(tab.id);
    return { targetId: String(tab.id) };
  },
  'Target.attachToTarget': async ({ targetId }) => {
    const tab = await mayUse(targetId);
    await attach(tab);
    return { sessionId: `tab-${tab}` };
  },
  'Target.closeTarget': async ({ targetId }) => {
    const tab = await mayUse(targetId);
    if (await tabs.owner(tab)) await chrome.tabs.remove(tab);
    return { success: true };
  },
  'Target.disposeBrowserContext': async ({ browserContextId }) => {
    for (const tab of await tabs.ofContext(browserContextId)) await chrome.tabs.remove(tab).catch(() => {});
    return {};
  },
};

/** Commands that reach beyond the tab, or that the user has to decide on. */
const REFUSED = /^(Browser|Storage|SystemInfo|Extensions|Tethering|Target\.(?!setAutoAttach$))|^Network\.(getAllCookies|getCookies|setCookies?|clearBrowser\w*|deleteCookies)$|^Page\.setDownloadBehavior$/;

export async function run({ method, params = {}, sessionId }, emit) {
  if (!sessionId) {
    const work = WHOLE[method];
    if (!work) throw new Error(`${method} is not done by the extension`);
    return work(params, emit);
  }
  const tab = tabOf(sessionId);
  if (tab === undefined || !(await tabs.isKnown(tab))) throw new Error('this tab is not shared');
  if (REFUSED.test(method)) throw new Error(`${method} is refused by the extension`);
  await attach(tab);
  const target = sessionId.startsWith('tab-') ? { tabId: tab } : { tabId: tab, sessionId };
  return (await chrome.debugger.sendCommand(target, method, params)) || {};
}

async function created(tab, emit) {
  const targetInfo = await tabs.info(tab).catch(() => null);
  if (targetInfo) emit({ method: 'Target.targetCreated', params: { targetInfo } });
}

/** Passes on what happens in the tabs. */
export function watch(emit) {
  chrome.debugger.onEvent.addListener(({ tabId, sessionId }, method, params) => {
    if (method === 'Target.attachedToTarget') frames.set(params.sessionId, tabId);
    if (method === 'Target.detachedFromTarget') frames.delete(params.sessionId);
    emit({ method, params, sessionId: sessionId || `tab-${tabId}` });
  });
  chrome.debugger.onDetach.addListener(async ({ tabId }, reason) => {
    if (!tabId) return;
    attached.delete(tabId);
    // The user pressed "cancel" in the bar of the browser: the tab is theirs again.
    if (reason === 'canceled_by_user') await unshare(tabId, emit);
    else emit({ method: 'Target.detachedFromTarget', params: { sessionId: `tab-${tabId}` } });
    await badge(tabId);
  });
  chrome.tabs.onRemoved.addListener(async (tab) => {
    if (!(await tabs.isKnown(tab))) return;
    attached.delete(tab);
    await tabs.remove(tab);
    emit({ method: 'Target.targetDestroyed', params: { targetId: String(tab) } });
  });
  chrome.tabs.onUpdated.addListener(async (tab, change) => {
    if (!(change.url || change.title) || !(await tabs.isKnown(tab))) return;
    await badge(tab);
    const targetInfo = await tabs.info(tab).catch(() => null);
    if (targetInfo) emit({ method: 'Target.targetInfoChanged', params: { targetInfo } });
  });
  // What a tab in use opens belongs to who uses it.
  chrome.tabs.onCreated.addListener(async (tab) => {
    if (!tab.openerTabId || !attached.has(tab.openerTabId)) return;
    const context = await tabs.owner(tab.openerTabId);
    if (!context) return;
    await tabs.add(tab.id, context);
    await created(tab.id, emit);
  });
}

export async function share(tab, emit) {
  await tabs.add(tab, '');
  await created(tab, emit);
  await badge(tab);
}

export async function unshare(tab, emit) {
  await tabs.remove(tab);
  await detach(tab);
  emit({ method: 'Target.targetDestroyed', params: { targetId: String(tab) } });
  await badge(tab);
}

/** Takes all tabs back at once. */
export async function stop(emit) {
  for (const tab of await tabs.all()) await unshare(tab, emit);
}
