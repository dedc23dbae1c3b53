// Command check has Dafny verify the proofs of package proof, and then that it rejects errors in the model
// (mutants.txt there): a proof that holds whatever the definitions say would be worth nothing.
//
//	go run ./internal/proof/check [-v]
//
// It needs dafny and its z3, as the package dafny of Debian 12 brings them. Without them it says so and ends with 2.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/outrank-go/outrank/internal/proof"
	"github.com/outrank-go/outrank/internal/proof/dafny"
)

func main() {
	verbose := flag.Bool("v", false, "print what Dafny prints")
	flag.Parse()

	tool, err := exec.LookPath("dafny")
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(2)
	}
	if err := (verifier{tool, *verbose}).check(); err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

// verifier runs Dafny.
type verifier struct {
	tool    string
	verbose bool
}

// check verifies everything, and then plants one error after the other.
func (v verifier) check() error {
	files, err := proof.Files()
	if err != nil {
		return err
	}
	mutants, err := proof.Mutants()
	if err != nil {
		return err
	}

	start := time.Now()
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	summary, err := v.run(files, names...)
	if err != nil {
		return err
	}
	if summary.errors+summary.unfinished > 0 {
		return fmt.Errorf("not everything is proven\n%s", summary.text)
	}
	fmt.Printf("%d definitions and lemmas verified in %.0f s\n", summary.verified, time.Since(start).Seconds())

	var missed []error
	for _, m := range mutants {
		missed = append(missed, v.reject(files, m))
	}
	return errors.Join(missed...)
}

// reject has Dafny verify one lemma with an error in the model. It holds without the error, or check would have
// ended, and has to fail.
func (v verifier) reject(files []dafny.File, m proof.Mutant) error {
	planted, err := m.Plant(files)
	if err != nil {
		return err
	}

	start := time.Now()
	// The name of a lemma is the last part of its name for the prover. A pattern that no lemma has finds no error.
	wrong, err := v.run(planted, m.LemmaFile, "/proc:*."+m.Lemma)
	if err != nil {
		return err
	}
	// Where an error is planted, the prover may also search until its time is up. The lemma is not proven then, either.
	if wrong.errors+wrong.unfinished == 0 {
		return fmt.Errorf("%s of %s is not rejected although %s\n%s", m.Lemma, m.LemmaFile, m.What, wrong.text)
	}
	fmt.Printf("%s: rejected by %s in %.0f s\n", m.What, m.Lemma, time.Since(start).Seconds())
	return nil
}

// summary is what Dafny says at its end. A proof that was not found in time is unfinished: it is no proof, and no
// error either.
type summary struct {
	verified, errors, unfinished int

	text string
}

// finished matches the last line of Dafny.
var finished = regexp.MustCompile(`finished with (\d+) verified, (\d+) errors?(?:, (\d+) time outs?)?`)

// run has Dafny verify files of the model; what they include is taken for granted. An error is one of running it,
// not one of a proof.
func (v verifier) run(files []dafny.File, args ...string) (s summary, err error) {
	dir, err := os.MkdirTemp("", "proof")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(dir)
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), []byte(f.Text), 0o644); err != nil {
			return s, err
		}
	}

	cmd := exec.Command(v.tool, append([]string{"/compile:0", "/nologo", "/timeLimit:100", "/errorLimit:1"}, args...)...)
	cmd.Dir = dir
	out, runErr := cmd.CombinedOutput()
	s.text = readable(string(out))
	if v.verbose {
		fmt.Println(s.text)
	}

	last := finished.FindStringSubmatch(s.text)
	if last == nil {
		return s, fmt.Errorf("dafny %s: %w\n%s", strings.Join(args, " "), errors.Join(runErr, errNoEnd), s.text)
	}
	for i, n := range []*int{&s.verified, &s.errors, &s.unfinished} {
		fmt.Sscan(last[i+1], n) // an empty text leaves 0
	}
	return s, nil
}

var errNoEnd = errors.New("it did not come to its end")

// readable leaves out what the z3 of Debian 12 prints about an option that it does not know, and which changes
// nothing.
func readable(text string) string {
	var kept strings.Builder
	unknown := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "Prover error: ") && strings.Contains(line, "unknown parameter"):
			unknown = true
		case unknown && (strings.HasPrefix(line, "Legal parameters") || strings.HasPrefix(line, "  ")):
		default:
			unknown = false
			kept.WriteString(line)
		}
	}
	return kept.String()
}
