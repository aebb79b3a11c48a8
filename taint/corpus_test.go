package taint_test

import (
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/tests/corpus"
	"github.com/go-tolerate/tolerate/taint"
)

// The corpus is what nodes, manifests and node-pool APIs really contain, and the result
// for each as a user sees it (V8, V10, K4).
func TestCorpus(t *testing.T) {
	corpus.Run(t, "testdata/taints.txt", func(data []byte, strict bool) (texts []string, err error) {
		list, _, err := taint.Decode(data, taint.DecodeOptions{Strict: strict})
		for _, v := range list {
			text := v.String()
			if at := v.TimeAdded(); !at.IsZero() {
				text += " added " + at.Format(time.RFC3339)
			}
			texts = append(texts, text)
		}
		return texts, err
	})
}
