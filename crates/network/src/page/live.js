// Keeps the page as the program has it. Without this script the page is reloaded instead.
'use strict';

const line = document.getElementById('line');
const waiting = new Map();

function words(seconds) {
  const two = (n) => String(n).padStart(2, '0');
  const minutes = Math.floor(seconds / 60), hours = Math.floor(seconds / 3600);
  if (seconds < 60) return seconds + ' s';
  if (seconds < 3600) return minutes + ' min ' + two(seconds % 60) + ' s';
  if (seconds < 86400) return hours + ' h ' + two(minutes % 60) + ' min';
  return Math.floor(hours / 24) + ' d ' + two(hours % 24) + ' h';
}

function tick() {
  for (const clock of document.querySelectorAll('[data-s]')) {
    clock.began ??= performance.now();
    const passed = Math.floor((performance.now() - clock.began) / 1000);
    const start = Number(clock.dataset.s);
    const text = words('down' in clock.dataset ? Math.max(0, start - passed) : start + passed);
    if (clock.textContent !== text) clock.textContent = text;
  }
  for (const [id, html] of waiting) replace(id, html);
}

// What somebody reads stays as it is: open lists, scrolled tables, the focus, a selection.
function replace(id, html) {
  const place = document.getElementById(id);
  if (!place) return;
  const selection = getSelection();
  if (!selection.isCollapsed && place.contains(selection.anchorNode)) {
    waiting.set(id, html);
    return;
  }
  waiting.delete(id);
  const all = (query) => [...place.querySelectorAll(query)];
  const open = all('details').map((list) => list.open);
  const scrolled = all('.scroll').map((box) => box.scrollLeft);
  const focus = all('summary, a, [tabindex]').indexOf(document.activeElement);
  place.innerHTML = html;
  all('details').forEach((list, at) => { list.open = open[at] ?? list.open; });
  all('.scroll').forEach((box, at) => { if (scrolled[at]) box.scrollLeft = scrolled[at]; });
  if (focus >= 0) all('summary, a, [tabindex]')[focus]?.focus({ preventScroll: true });
}

function say(text) {
  line.textContent = text;
  line.hidden = !text;
  document.body.dataset.live = text ? 'off' : 'on';
}

const source = new EventSource('events' + location.search);
source.addEventListener('pieces', (event) => {
  say('');
  for (const [id, html] of Object.entries(JSON.parse(event.data))) replace(id, html);
  tick();
});
source.addEventListener('over', () => {
  source.close();
  clearInterval(clock);
  say('The program has ended. This is how it stood at the end.');
});
source.addEventListener('error', () => {
  const again = source.readyState === EventSource.CLOSED
    ? ' Open the address that the program printed last.'
    : ' Trying again.';
  say('No contact with the program: what follows may be old.' + again);
});
const clock = setInterval(tick, 1000);
tick();
