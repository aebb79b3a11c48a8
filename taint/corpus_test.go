package taint_test

import (
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/bench/corpus"
	"github.com/go-tolerate/tolerate/taint"
)

// What nodes, manifests and node-pool APIs really hold, and what each must
// give, told as a user is told (V8, V10, K4).
func TestCorpus(t *testing.T) {
	corpus.Run(t, "testdata/taints.txt", func(data []byte, strict bool) (texts []string, err error) {
		list, err := taint.DecodeList(data, taint.ListOptions{Strict: strict})
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
