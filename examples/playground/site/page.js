// Draws the answers of Go, which the worker has. What comes from people is text, never HTML.
const $ = (id) => document.getElementById(id);
const fields = ['taints', 'tolerations'], switches = ['cordoned', 'numeric'];
const signs = { yes: '✓', other: '~', no: '✗', wrong: '!' };
const maxLink = 8000; // characters after #
const policy = globalThis.trustedTypes?.createPolicy('worker', { createScriptURL: () => 'worker.js' });
const examples = await (await fetch('examples.json')).json();
let worker, asked = false, again = false;

function start() {
  worker?.terminate();
  worker = new Worker(policy?.createScriptURL('') ?? 'worker.js', { type: 'module' });
  worker.onmessage = ({ data }) => answer(data);
}

// ask queries Go for what the fields have. Of the questions that come before the answer, the last one waits.
function ask() {
  if (again = asked) return;
  asked = $('answer').ariaBusy = true;
  worker.postMessage(get());
}

function answer(a) {
  if (a.Failed) {
    start();
    a = { State: 'wrong', Title: 'No answer: ' + a.Failed };
  }
  draw(a);
  asked = false;
  $('answer').ariaBusy = again;
  if (again) ask();
}

const get = () => Object.fromEntries([...fields.map((f) => [f, $(f).value]), ...switches.map((s) => [s, $(s).checked])]);

// set fills the fields with a question: that of an example, if it has a number.
function set(question, number) {
  for (const f of fields) $(f).value = question[f] ?? '';
  for (const s of switches) $(s).checked = Boolean(question[s]);
  changed(number);
}

// changed writes the fields to the address, and asks.
function changed(number = '') {
  $('example').value = number;
  $('about').textContent = examples[number]?.about ?? '';
  const state = new URLSearchParams(Object.entries(get()).filter(([, v]) => v));
  history.replaceState(null, '', '#' + (`${state}`.length < maxLink ? state : 'too-long'));
  ask();
}

const fromAddress = () => set(Object.fromEntries(new URLSearchParams(location.hash.length <= maxLink ? location.hash.slice(1) : '')));

const element = (name, properties) => Object.assign(document.createElement(name), properties);

function draw(a) {
  const text = { title: signs[a.State] + ' ' + a.Title, running: a.Running, note: a.Note, 'add-title': a.AddTitle, add: a.Add, copied: '' };
  for (const id in text) $(id).textContent = text[id] ?? '';
  $('title').className = a.State;
  for (const f of fields) {
    const wrong = (a.Mistakes ?? []).filter((m) => m.Field === f);
    $(f + '-wrong').replaceChildren(...wrong.map(toLine));
    $(f).setAttribute('aria-invalid', wrong.length > 0);
  }
  $('rows').replaceChildren();
  for (const r of a.Rows ?? []) {
    $('rows').insertRow().append(element('th', { scope: 'row', textContent: r.Taint }),
      element('td', { className: r.State, textContent: signs[r.State] + ' ' + r.Because }),
      element('td', { textContent: r.Follows }));
  }
  $('findings').replaceChildren(...(a.Probable ?? []).map(toLine));
  $('table').hidden = !a.Rows;
  $('addition').hidden = !a.Add;
  $('probable').hidden = !a.Probable;
}

// toLine returns an item with a button that selects the line of a mistake.
function toLine({ Field, Line, Text }) {
  const item = element('li', {}), button = element('button', { textContent: `Line ${Line}: ${Text}` });
  button.onclick = () => {
    const lines = $(Field).value.split('\n');
    const end = lines.slice(0, Line).join('\n').length;
    $(Field).focus();
    $(Field).setSelectionRange(end - (lines[Line - 1] ?? '').length, end);
  };
  item.append(button);
  return item;
}

$('example').append(...examples.map((e, i) => element('option', { value: i, textContent: e.name })));
$('example').onchange = ({ target }) => target.value && set(examples[target.value], target.value);
for (const id of [...fields, ...switches]) $(id).oninput = () => changed();
$('copy').onclick = () => navigator.clipboard.writeText($('add').textContent).then(() => { $('copied').textContent = 'Copied.'; });
onhashchange = fromAddress;
start();
location.hash ? fromAddress() : set(examples[0], 0);
