// The connection to Kitbag: kept up while messages pass, and made again by an alarm after the worker
// slept, whichever side starts first. Both sides prove that they know the token before anything else
// is said, and neither sends it: another program may have taken the port.

import * as debug from './debug.js';
import * as tabs from './tabs.js';

const RETRY = 2000;
/** How long a proof may take. */
const PROVES = 5000;
const STRANGER = 'another program answers on this port, or the token is another';
/** The last connection, and the one over which Kitbag proved itself. */
let socket;
let proven;
let connecting;
let state = 'waiting for Kitbag';

async function settings() {
  return chrome.storage.local.get({ token: '', port: 3005 });
}

function tell(own, message) {
  if (own?.readyState === WebSocket.OPEN) own.send(JSON.stringify(message));
}

const emit = (message) => tell(proven, message);

const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

async function proof(role, { port, token }, nonce) {
  const text = new TextEncoder().encode(`${role}\n${port}\n${nonce}\n${token}`);
  return hex(await crypto.subtle.digest('SHA-256', text));
}

/** Connects, once at a time: the worker, its alarm and the browser's start all ask for it. */
function connect() {
  connecting ??= dial().finally(() => {
    connecting = undefined;
  });
  return connecting;
}

async function dial() {
  if (socket && socket.readyState <= WebSocket.OPEN) return;
  const known = await settings();
  if (!known.token) {
    state = 'not paired';
    return;
  }
  const own = new WebSocket(`ws://127.0.0.1:${known.port}/`);
  const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
  socket = own;
  let limit;
  let strange = false;
  const stranger = () => {
    strange = true;
    if (socket === own) state = STRANGER;
    own.close();
  };
  own.onopen = () => {
    limit = setTimeout(stranger, PROVES);
    tell(own, { jsonrpc: '2.0', method: 'kitbag/hello', params: { nonce } });
  };
  own.onmessage = async ({ data }) => {
    const message = JSON.parse(data);
    if (proven === own) return heard(own, message);
    if (message.method !== 'kitbag/proof') return;
    const { proof: theirs, nonce: next } = message.params;
    if (theirs !== (await proof('listener', known, nonce))) return stranger();
    const params = { protocolVersion: 'kitbag-1', proof: await proof('extension', known, next) };
    if (socket !== own) return own.close();
    clearTimeout(limit);
    tell(own, { jsonrpc: '2.0', method: 'initialized', params });
    proven = own;
    state = 'connected';
  };
  own.onclose = () => {
    clearTimeout(limit);
    if (proven === own) proven = undefined;
    if (socket !== own) return;
    debug.rest();
    state = strange ? STRANGER : 'waiting for Kitbag';
    // A stranger is asked again when the alarm rings.
    if (!strange) setTimeout(connect, RETRY);
  };
}

async function heard(own, message) {
  if (message.method === 'ping') return tell(own, { jsonrpc: '2.0', method: 'pong', params: {} });
  if (!message.id) return;
  try {
    tell(own, { id: message.id, result: await debug.run(message, emit) });
  } catch (error) {
    tell(own, { id: message.id, error: { code: -32000, message: readable(error) } });
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
    await connecting;
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
