package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

func main() {
	var o options
	flag.BoolVar(&o.verbose, "v", false, "print the evaluations of each decision with an operand that is not shown")
	structure.Main("conditions", func() (bool, error) {
		o.folders = flag.Args()
		return run(os.Stdout, ".", o)
	})
}

// options say what the command does.
type options struct {
	verbose bool
	// folders are those that are measured; none means all of the scope.
	folders []string
}

// exceptionsFile is the path of the listing within the module.
const exceptionsFile = "internal/tests/structure/conditions/testdata/exceptions.txt"

// run measures what the options ask for. It reports whether everything is shown or listed.
func run(w io.Writer, root string, o options) (bool, error) {
	rooms, err := asked(scope, o)
	if err != nil {
		return false, err
	}
	exceptions, err := readExceptions(root, exceptionsFile)
	if err != nil {
		return false, err
	}

	start := time.Now()
	decisions, err := measure(root, rooms)
	if err != nil {
		return false, err
	}
	exceptions.within(rooms)
	ok := report(w, decisions, exceptions, o.verbose)
	fmt.Fprintf(w, "measured in %.0f s\n", time.Since(start).Seconds())
	return ok, nil
}

// asked returns the rooms of the scope that the options name.
func asked(all []room, o options) ([]room, error) {
	if len(o.folders) == 0 {
		return all, nil
	}

	var rooms []room
	for _, folder := range o.folders {
		i := slices.IndexFunc(all, func(r room) bool { return r.folder == folder })
		if i < 0 {
			return nil, fmt.Errorf("the table in scope.go has no folder %s", folder)
		}
		rooms = append(rooms, all[i])
	}
	return rooms, nil
}
