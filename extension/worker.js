// The connection to Kitbag: kept up while messages pass, and made again by an alarm after the worker
// slept, whichever side starts first.

import * as debug from './debug.js';
import * as tabs from './tabs.js';

const RETRY = 2000;
let socket;
let state = 'not paired';

async function settings() {
  return chrome.storage.local.get({ token: '', port: 3005 });
}

function emit(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

async function connect() {
  if (socket && socket.readyState <= WebSocket.OPEN) return;
  const { token, port } = await settings();
  if (!token) {
    state = 'not paired';
    return;
  }
  const own = new WebSocket(`ws://127.0.0.1:${port}/`);
  socket = own;
  own.onopen = () => {
    state = 'connected';
    emit({ jsonrpc: '2.0', method: 'initialized', params: { protocolVersion: 'kitbag-1', token } });
  };
  own.onmessage = ({ data }) => heard(JSON.parse(data));
  own.onclose = () => {
    if (socket !== own) return;
    if (state !== 'refused') state = 'waiting for Kitbag';
    debug.rest();
    setTimeout(connect, RETRY);
  };
}

async function heard(message) {
  if (message.method === 'ping') return emit({ jsonrpc: '2.0', method: 'pong', params: {} });
  if (message.method === 'kitbag/refused') {
    state = 'refused';
    return;
  }
  if (!message.id) return;
  try {
    emit({ id: message.id, result: await debug.run(message, emit) });
  } catch (error) {
    emit({ id: message.id, error: { code: -32000, message: readable(error) } });
  }
}

// chrome.debugger puts the browser's answer as JSON into the message.
function readable(error) {
  try {
    return JSON.parse(error.message).message || error.message;
  } catch {
    return String(error.message || error);
  }
}

/** What the popup asks for. */
const ASKED = {
  async status({ tab }) {
    const known = await tabs.isKnown(tab);
    return { state, shared: known, used: debug.isAttached(tab), count: (await tabs.all()).length };
  },
  async pair({ token, port }) {
    await chrome.storage.local.set({ token: token.trim(), port: Number(port) || 3005 });
    state = 'waiting for Kitbag';
    socket?.close();
    socket = undefined;
    await connect();
    return {};
  },
  async share({ tab }) {
    await debug.share(tab, emit);
    return {};
  },
  async unshare({ tab }) {
    await debug.unshare(tab, emit);
    return {};
  },
  async stop() {
    await debug.stop(emit);
    return {};
  },
};

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  // The popup alone: no page and no other extension.
  if (sender.id !== chrome.runtime.id || sender.tab || !ASKED[message.ask]) return false;
  ASKED[message.ask](message).then(answer, (error) => answer({ error: String(error) }));
  return true;
});

debug.watch(emit);
chrome.alarms.create('connect', { periodInMinutes: 0.5 });
chrome.alarms.onAlarm.addListener(connect);
chrome.runtime.onStartup.addListener(connect);
chrome.runtime.onInstalled.addListener(connect);
connect();

// For tests, which reach a worker by its own debugger.
globalThis.kitbag = ASKED;
