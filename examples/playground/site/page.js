// Draws the answers of Go, which the worker has. What comes from people is text, never HTML.
const $ = (id) => document.getElementById(id);
const fields = ['taints', 'tolerations'], switches = ['cordoned', 'numeric'];
const signs = { yes: '✓', other: '~', no: '✗', wrong: '!' };
const maxLink = 8000, patience = 30000; // characters after #; milliseconds
const policy = globalThis.trustedTypes?.createPolicy('worker', { createScriptURL: () => 'worker.js' });
const examples = await (await fetch('examples.json')).json();
let worker, timer, asked = false, again = false;

function start() {
  worker?.terminate();
  worker = new Worker(policy?.createScriptURL('') ?? 'worker.js', { type: 'module' });
  worker.onmessage = ({ data }) => answer(data);
}

// ask queries Go for what the fields have. Of the questions that come before the answer, the last one waits.
function ask() {
  if (again = asked) return;
  asked = $('answer').ariaBusy = true;
  timer = setTimeout(answer, patience, { Failed: 'this takes too long.' });
  worker.postMessage(get());
}

function answer(a) {
  clearTimeout(timer);
  if (a.Failed) {
    start();
    a = { State: 'wrong', Title: 'No answer: ' + a.Failed };
  }
  draw(a);
  asked = false;
  $('answer').ariaBusy = again;
  if (again) ask();
}

const get = () => ({ ...Object.fromEntries(fields.map((f) => [f, $(f).value])), ...Object.fromEntries(switches.map((s) => [s, $(s).checked])) });

function set(question, example) {
  for (const f of fields) $(f).value = question[f] ?? '';
  for (const s of switches) $(s).checked = Boolean(question[s]);
  choice(example);
}

function choice(example) {
  $('example').value = example ?? '';
  $('about').textContent = examples[example]?.about ?? '';
}

// changed writes the fields to the address, and asks.
function changed() {
  const state = new URLSearchParams(Object.entries(get()).filter(([, v]) => v));
  history.replaceState(null, '', '#' + (`${state}`.length < maxLink ? state : 'too-long'));
  ask();
}

function fromAddress() {
  set(Object.fromEntries(new URLSearchParams(location.hash.length <= maxLink ? location.hash.slice(1) : '')));
  ask();
}

function element(name, properties, ...children) {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
}

function draw(a) {
  const text = { title: signs[a.State] + ' ' + a.Title, running: a.Running, note: a.Note, 'add-title': a.AddTitle, add: a.Add, copied: '' };
  for (const id in text) $(id).textContent = text[id] ?? '';
  $('title').className = a.State;
  for (const f of fields) {
    const wrong = (a.Mistakes ?? []).filter((m) => m.Field === f);
    $(f + '-wrong').replaceChildren(...wrong.map((m) => element('li', {}, toLine(m))));
    $(f).setAttribute('aria-invalid', wrong.length > 0);
  }
  $('rows').replaceChildren(...(a.Rows ?? []).map((r) => element('tr', {},
    element('th', { scope: 'row', textContent: r.Taint }),
    element('td', { className: r.State, textContent: signs[r.State] + ' ' + r.Because }),
    element('td', { textContent: r.Follows }))));
  $('findings').replaceChildren(...(a.Findings ?? []).map((f) =>
    element('li', { textContent: `Line ${f.Line}, ${f.Severity}: ${f.Text}.` + (f.Fix && ` To fix it, ${f.Fix}.`) })));
  $('table').hidden = !a.Rows;
  $('addition').hidden = !a.Add;
  $('probable').hidden = !a.Findings;
}

// toLine returns a button that selects the line of a mistake.
function toLine({ Field, Line, Text }) {
  const onclick = () => {
    const lines = $(Field).value.split('\n');
    const end = lines.slice(0, Line).join('\n').length;
    $(Field).focus();
    $(Field).setSelectionRange(end - (lines[Line - 1] ?? '').length, end);
  };
  return element('button', { type: 'button', textContent: `Line ${Line}: ${Text}`, onclick });
}

$('example').append(...examples.map((e, i) => element('option', { value: i, textContent: e.name })));
$('example').onchange = ({ target }) => target.value && (set(examples[target.value], target.value), changed());
for (const id of [...fields, ...switches]) $(id).oninput = () => (choice(), changed());
$('copy').onclick = async () => {
  await navigator.clipboard.writeText($('add').textContent);
  $('copied').textContent = 'Copied.';
};
onhashchange = fromAddress;
start();
if (location.hash) fromAddress();
else (set(examples[0], 0), changed());
