// Command largedump writes the dump of a made cluster, as large as asked for, to measure kubectl-whatif with:
// nodes that are nearly full, the pods of Deployments, StatefulSets, DaemonSets and Jobs in many sizes, disruption
// budgets, priority classes, quotas, and pods that wait, of which some fit.
//
//	go run -C examples/kubectl-whatif ./largedump -nodes 5000 >dump.json
//	kubectl whatif --cluster dump.json --timings
//
// The same flags give the same bytes. Objects have the fields that an API server fills in, and are indented as by
// kubectl, so that a pod takes about 4 KB.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	size := size{}
	flag.IntVar(&size.nodes, "nodes", 5000, "the `NUMBER` of nodes")
	flag.IntVar(&size.pods, "pods", 30, "about how many pods each node holds, a `NUMBER`")
	flag.IntVar(&size.waiting, "waiting", 2000, "the `NUMBER` of pods that wait")
	seed := flag.Uint64("seed", 1, "another `NUMBER` makes another cluster of the same size")
	form := flag.String("o", "json", "the `FORM` of the dump, json or yaml")
	flag.Parse()

	if err := write(os.Stdout, size, *seed, *form); err != nil {
		fmt.Fprintln(os.Stderr, "largedump:", err)
		os.Exit(1)
	}
}

// write writes the dump of a cluster. It holds one object at a time, so that the size of the dump does not matter.
func write(w io.Writer, size size, seed uint64, form string) error {
	if err := size.validate(); err != nil {
		return err
	}
	forms := map[string]func(*bufio.Writer) list{"json": jsonList, "yaml": yamlList}
	begin, known := forms[form]
	if !known {
		return fmt.Errorf("-o %s: the forms are json and yaml", form)
	}

	out := bufio.NewWriterSize(w, 1<<20)
	list := begin(out)
	if err := newFleet(size, seed).each(list.add); err != nil {
		return err
	}
	if err := list.end(); err != nil {
		return err
	}
	return out.Flush()
}
