// Owns Go: a question in, an answer out.
import './wasm_exec.js';

const ready = (async () => {
  const go = new Go();
  const program = await (await fetch('tolerate.wasm')).arrayBuffer();
  go.run((await WebAssembly.instantiate(program, go.importObject)).instance);
})();

onmessage = async ({ data }) => {
  try {
    await ready;
    postMessage(JSON.parse(judge(JSON.stringify(data))));
  } catch (error) {
    postMessage({ Failed: error instanceof RangeError ? 'the text is nested too deeply.' : String(error) });
  }
};
