// What the user sees and decides: whether Kitbag is connected, which tabs it may use, and stop.

const at = (id) => document.getElementById(id);
const [{ id: tab }] = await chrome.tabs.query({ active: true, currentWindow: true });
let seen;
const ask = (what, more = {}) => chrome.runtime.sendMessage({ ask: what, tab, ...more });

async function show() {
  const { state, shared, used, count } = await ask('status');
  at('state').textContent = state;
  at('tab').textContent = used
    ? 'A model uses this tab.'
    : shared
      ? 'Models may use this tab.'
      : 'Models do not see this tab.';
  at('share').textContent = shared ? 'Take this tab back' : 'Share this tab';
  at('share').dataset.does = shared ? 'unshare' : 'share';
  at('stop').hidden = count === 0;
  // Only when that changes: what the user opened to type into stays open.
  if (state !== seen) at('pairing').open = state === 'not paired' || state.startsWith('another program');
  seen = state;
}

const then = (work) => async () => {
  await work();
  await show();
};
at('share').onclick = then(() => ask(at('share').dataset.does));
at('stop').onclick = then(() => ask('stop'));
at('pair').onclick = then(() => ask('pair', { token: at('token').value, port: at('port').value }));
await show();
setInterval(show, 1000);
