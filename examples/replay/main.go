// Command replay decides recorded cases: it reads one case per line and writes one decision per line.
//
//	replay [-release RELEASE] [-now TIME] [FILE]
//
// A case holds plain Kubernetes objects and a question about them:
//
//	{"id": "a", "mode": "scheduler", "nodes": [], "pods": [], "pdbs": [], "namespaces": [], "preemptor": {}}
//
// There are three main modes. Mode scheduler asks which pods the preemptor would push out, and on which node.
// Mode group asks which pods the pending pods of preemptorGroup would push out. Mode kubelet asks whether the
// preemptor may start on a full node. The modes requests, quantity, selector and priority ask about parts of
// these. A case that cannot be read does not end the run: its line holds an error. Files ending in .gz are
// decompressed; without a file, or with -, standard input is read.
//
// The rules are those of the release, which feature gates may follow: v1.37,VolumeLimitScaling=false. The
// gates that options.gates of a case names are on for that case.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/stamp"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(2)
	}
}

// run is the whole program except for the process around it.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("replay", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: replay [-release RELEASE] [-now TIME] [FILE]\nDecides one case per line, see the package comment for the form.")
		flags.PrintDefaults()
	}
	nowText := flags.String("now", "", "what a missing start time counts as, like 2026-01-10T12:00:00Z (default: a second after the latest time in each case)")
	var by rules
	flags.TextVar(&by.release, "release", outrank.DefaultRelease, "whose rules hold: v1.36 or v1.37, and feature gates")

	version := flags.Bool("version", false, "say which version this is")

	if err := flags.Parse(args); err != nil {
		return err
	}

	if *version {
		_, err := fmt.Fprintln(stdout, stamp.Here().Line("replay"))
		return err
	}

	if *nowText != "" {
		var err error
		if by.now, err = time.Parse(time.RFC3339, *nowText); err != nil {
			return fmt.Errorf("-now: %w", err)
		}
	}
	if flags.NArg() > 1 {
		return fmt.Errorf("one file at most, not %d", flags.NArg())
	}

	in, done, err := open(flags.Arg(0), stdin)
	if err != nil {
		return err
	}
	defer done()
	return replay(in, stdout, by)
}

// rules hold for all cases of a run.
type rules struct {
	// release is the release of Kubernetes whose rules hold.
	release outrank.Release
	// now replaces missing start times. If it is zero, each case chooses its own.
	now time.Time
}

// open opens a file, or standard input if there is none. The second result closes it.
func open(name string, stdin io.Reader) (io.Reader, func() error, error) {
	if name == "" || name == "-" {
		return stdin, func() error { return nil }, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	if !strings.HasSuffix(name, ".gz") {
		return f, f.Close, nil
	}

	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return z, f.Close, nil
}

// replay decides the cases one by one and writes the decisions.
func replay(in io.Reader, out io.Writer, by rules) error {
	lines := bufio.NewReaderSize(in, 1<<20)
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for {
		// The last line may lack its newline, and then comes together with the end of the file.
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := enc.Encode(decide(line, by)); err != nil {
				return err
			}
		}

		if err == io.EOF {
			return w.Flush()
		}
		if err != nil {
			return errors.Join(err, w.Flush())
		}
	}
}

// decide answers one case. An error becomes part of the answer, so that the next case is decided as well.
func decide(line []byte, by rules) Decision {
	c := Case{Release: by.release}
	if err := c.UnmarshalJSON(line); err != nil {
		return Decision{ID: idOf(line, c), Mode: c.Mode, Profile: c.Profile, Error: err.Error()}
	}
	return c.answer(by)
}

// answer answers a case that was read. It resolves volumes and enables gates before it decides.
func (c *Case) answer(by rules) Decision {
	err := c.resolve()
	if err == nil {
		err = c.setGates()
	}
	if err != nil {
		return Decision{ID: c.ID, Mode: c.Mode, Profile: c.Profile, Error: err.Error()}
	}
	if by.now.IsZero() {
		by.now = c.latest().Add(time.Second)
	}
	return c.decide(by.now)
}

// decide asks the question of the case's mode.
func (c *Case) decide(now time.Time) Decision {
	d := Decision{ID: c.ID, Mode: c.Mode, Profile: c.Profile}
	var err error
	switch c.Mode {
	case "scheduler":
		d.Scheduler, err = c.scheduler(now)
	case "group":
		d.Group, err = c.group(now)
	case "kubelet":
		d.Kubelet, err = c.kubelet()
	case "requests":
		d.Facts, err = c.facts(c.Pods)
	case "quantity":
		d.Quantities = c.quantities()
	case "selector":
		d.Selector = c.selector()
	case "priority":
		d.Priorities, err = c.priorities()
	default:
		err = fmt.Errorf("mode %q is none of scheduler, group, kubelet, requests, quantity, selector, priority", c.Mode)
	}
	if err != nil {
		return Decision{ID: c.ID, Mode: c.Mode, Profile: c.Profile, Error: err.Error()}
	}
	return d
}

// idOf returns the id of a case that could only be read in part.
func idOf(line []byte, c Case) string {
	var head struct{ ID string }
	if c.ID == "" && json.Unmarshal(line, &head) == nil {
		return head.ID
	}
	return c.ID
}
