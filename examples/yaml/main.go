// Yaml reads nodes and pods from manifests and prints which pod tolerates which
// node's taints. It shows that taints and tolerations need no conversion: they
// are fields of the structs of a program, and a YAML library reads and
// writes them in the API's shape.
//
// The manifests come from standard input when there is an argument "-", else
// from the sample beside this file. The tests try the same with four more
// libraries.
//
// Some libraries drop a null from a list of structs and know no repeated or
// misspelt field. To be strict, turn the YAML into JSON, as sigs.k8s.io/yaml
// does, and call toleration.Decode.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"go.yaml.in/yaml/v3"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

//go:embed sample.yaml
var sample []byte

// manifest is what this program needs of a node's or a pod's.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     yaml.Node
}

func main() {
	log.SetFlags(0)
	in := io.Reader(bytes.NewReader(sample))
	if len(os.Args) == 2 && os.Args[1] == "-" {
		in = os.Stdin
	}
	if err := run(os.Stdout, in); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, in io.Reader) error {
	type node struct {
		name   string
		taints taint.List
	}
	var nodes []node
	for d := yaml.NewDecoder(in); ; {
		var o manifest
		if err := d.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var spec struct {
			Taints      taint.List
			Tolerations toleration.List
		}
		if err := o.Spec.Decode(&spec); err != nil {
			fmt.Fprintf(out, "%s %s cannot be read:\n%v\n", o.Kind, o.Metadata.Name, err)
			continue
		}
		switch o.Kind {
		case "Node":
			nodes = append(nodes, node{o.Metadata.Name, spec.Taints})
		case "Pod":
			for _, n := range nodes {
				r := match.Filter(n.taints, spec.Tolerations)
				if i, ok := r.First(taint.NoSchedule, taint.NoExecute); ok {
					fmt.Fprintf(out, "%s may not run on %s: untolerated %v\n", o.Metadata.Name, n.name, n.taints[i])
				} else {
					fmt.Fprintf(out, "%s may run on %s\n", o.Metadata.Name, n.name)
				}
			}
		}
	}
}
