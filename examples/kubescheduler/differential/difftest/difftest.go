// Package difftest tests package differential with any version of Kubernetes. Its flags:
//
//	-cases N    how many random cases
//	-seed S     seed of the first
//	-kinds a,b  kinds of cases; all where empty
//	-keep DIR   writes each case that differs there, as a list that whatif reads
//	-most N     how many may differ before the test ends
//	-hintcases N, -hintseed S
//	            how many random clusters hints are asked about, and the seed of the first
package difftest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
)

var (
	cases = flag.Int("cases", 900, "number of random cases")
	seed  = flag.Uint64("seed", 1, "seed of the first case")
	kinds = flag.String("kinds", "", "kinds of cases, separated by commas; all where empty")
	keep  = flag.String("keep", "", "folder for cases that differ, as lists that whatif reads")
	most  = flag.Int("most", 1, "number of cases that may differ before the test ends")
)

// Run compares the reference and outrank on random cases. If they differ, the failure shows the smallest case that
// still differs, and the flags that repeat it.
func Run(t *testing.T, h *differential.Harness) { RunKinds(t, h, differential.Kinds...) }

// RunKinds is Run for the given kinds of cases, unless the flag names others.
func RunKinds(t *testing.T, h *differential.Harness, usual ...string) {
	differential.Quiet()
	left := *most
	sweep := differential.Sweep{Cases: *cases, Seed: *seed, Kinds: usual, Failure: func(c *differential.Case, r *differential.Result) bool {
		t.Errorf("kind %s, seed %d differs; repeat with -kinds %s -seed %d -cases 1:\n%s",
			c.Kind, c.Seed, c.Kind, c.Seed, strings.Join(r.Differences, "\n"))
		if c.Around.Any() {
			around, err := json.Marshal(&c.Around)
			t.Logf("around the scheduler's own plugins: %s %v\nkube-scheduler: %+v\noutrank: %+v", around, err, *r.Reference, *r.Outrank)
		}
		show(t, c)
		left--
		return left > 0
	}}
	if *kinds != "" {
		sweep.Kinds = strings.Split(*kinds, ",")
	}
	counts, err := h.Sweep(sweep)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	differential.WriteCounts(&table, counts)
	t.Logf("\n%s", table.String())
}

// show prints a case, or writes it to the folder of -keep.
func show(t *testing.T, c *differential.Case) {
	var text bytes.Buffer
	if err := c.Write(&text); err != nil {
		t.Error(err)
		return
	}
	if *keep == "" {
		t.Logf("the smallest case:\n%s", text.String())
		return
	}
	if err := os.WriteFile(filepath.Join(*keep, fmt.Sprintf("%s-%d.json", c.Kind, c.Seed)), text.Bytes(), 0o644); err != nil {
		t.Error(err)
	}
}

// RunScores compares the scores of nodes on random cases. There is one case for every three of the flag -cases.
func RunScores(t *testing.T, h *differential.Harness) {
	differential.Quiet()
	count, tried := differential.ScoreCount{}, 0
	for i := range max(1, *cases/3) {
		c, err := differential.GenerateScores(*seed + uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		tried++
		found, err := h.RunScores(c, &count)
		if err != nil {
			t.Fatalf("seed %d: %v", c.Seed, err)
		}
		if len(found) > 0 {
			t.Fatalf("seed %d differs; repeat with -run Scores -seed %d -cases 1:\n%s\n%s", c.Seed, c.Seed, strings.Join(found, "\n"), c.File)
		}
	}
	t.Logf("%d cases from seed %d: %+v", tried, *seed, count)
}

// RunJudged compares the answers about claims for devices with the command judge of the module above. There is one
// case for every three of the flag -cases. It leaves out the cases of [differential.Case.AllocatorDiffers].
func RunJudged(t *testing.T, h *differential.Harness) {
	differential.Quiet()
	j := startJudge(t)
	left, apart := *most, 0
	for i := range max(1, *cases/3) {
		c, err := differential.Generate(differential.DeviceKinds[i%len(differential.DeviceKinds)], *seed+uint64(i/len(differential.DeviceKinds)))
		if err != nil {
			t.Fatal(err)
		}
		if c = h.Distinct(c); c.AllocatorDiffers() {
			apart++
			continue
		}

		want, err := differential.RunReference(c, differential.Instead{})
		if err != nil {
			t.Fatal(err)
		}
		if differences := j.ask(t, differential.Judged{Case: c, Answer: want}); len(differences) > 0 {
			t.Errorf("kind %s, seed %d differs:\n%s", c.Kind, c.Seed, strings.Join(differences, "\n"))
			if left--; left <= 0 {
				break
			}
		}
	}
	t.Logf("%d cases, of which %d are not compared", max(1, *cases/3), apart)
	j.end(t)
}

// judge is the command judge while it runs. It gives one answer for each case, in order.
type judge struct {
	command *exec.Cmd
	in      io.WriteCloser
	answers *json.Decoder
}

// startJudge builds the command and starts it.
func startJudge(t *testing.T) *judge {
	program := filepath.Join(t.TempDir(), "judge")
	build := exec.Command("go", "build", "-C", "..", "-o", program, "./differential/cmd/judge")
	build.Env = append(os.Environ(), "GOFLAGS=") // the build tags of this module mean another thing above
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	command := exec.Command(program)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return &judge{command: command, in: in, answers: json.NewDecoder(out)}
}

// ask returns the differences of a case.
func (j *judge) ask(t *testing.T, question differential.Judged) (differences []string) {
	text, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.in.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := j.answers.Decode(&differences); err != nil {
		t.Fatal(err)
	}
	return differences
}

// end lets the command end, and waits for it.
func (j *judge) end(t *testing.T) {
	if err := j.in.Close(); err != nil {
		t.Error(err)
	}
	if err := j.command.Wait(); err != nil {
		t.Error(err)
	}
}
