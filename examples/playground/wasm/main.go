//go:build js

// Wasm defines the function judge for the page's worker, from JSON to JSON.
package main

import (
	"encoding/json"
	"syscall/js"

	"github.com/go-tolerate/tolerate/examples/playground/internal/pair"
)

func main() {
	js.Global().Set("judge", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var q pair.Question
		_ = json.Unmarshal([]byte(args[0].String()), &q) // the page wrote it
		text, _ := json.Marshal(pair.Judge(q))
		return string(text)
	}))
	select {}
}
