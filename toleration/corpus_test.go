package toleration_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/corpus"
	"github.com/go-tolerate/tolerate/toleration"
)

// The corpus is what pods and manifests really contain, and the result for each as a
// user sees it (V7, V10, K4).
func TestCorpus(t *testing.T) {
	corpus.Run(t, "testdata/tolerations.txt", func(data []byte, strict bool) (texts []string, err error) {
		list, _, err := toleration.Decode(data, toleration.DecodeOptions{Strict: strict})
		for _, v := range list {
			texts = append(texts, v.String())
		}
		return texts, err
	})
}
