package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// fault is a change that some property has to see: the text plain of a file is replaced by planted. The name
// completes a sentence that begins with "that".
type fault struct {
	name                 string
	file, plain, planted string
}

// recipe is one of the two recipes, with the faults that the properties have to see.
type recipe struct {
	name string
	// named are the tests that the recipe names beside the properties.
	named  string
	faults []fault
}

// recipes are the recipes of CONTRIBUTING. A fault that changes one side alone shows where the two sides are
// compared.
var recipes = []recipe{
	{
		name: "filter", named: "TestEveryDescriptorIsSeenEverywhere",
		faults: []fault{
			{
				"the engine does not count nominated pods",
				"preemption/engine/internal/filters/hostnetworklimit.go", "range nominated", "range nominated[:0]",
			},
			{
				"the engine counts a pod that leaves as if it came",
				"preemption/engine/internal/filters/hostnetworklimit.go", "h.there += int64(by)", "h.there++",
			},
			{
				"the book takes one pod more",
				"preemption/filter_hostnetworklimit.go", "there+1 > limit", "there > limit",
			},
			{
				"the book does not look who stays",
				"preemption/filter_hostnetworklimit.go", "range d.pods", "range d.site.running",
			},
			{
				"the entry says that no running pod has a part",
				"internal/filter/hostnetworklimit.go", "Running: onHostNetwork", "Running: nobody",
			},
		},
	},
	{
		name: "rank", named: "TestEveryRankDecidesEverywhere",
		faults: []fault{
			{
				"the entry leaves sidecars out",
				"preemption/internal/rank/restarts.go", "len(victim.Containers) + len(victim.InitContainers)", "len(victim.Containers)",
			},
			{
				"the book counts a container less",
				"preemption/rank_restarts.go", "containers++", "containers = 1",
			},
		},
	},
}

// Patterns of the tests that a run consists of: all properties, or those that compare the book and the
// engine.
const (
	properties = "^TestProperty"
	compared   = "^(TestPropertyBookAndEngine|TestPropertyRanksAgreeWithBook)$"
)

func main() {
	sample := flag.Bool("sample", false, "follow the recipe of a rank alone, and plant one fault")
	structure.Main("recipe", func() (bool, error) {
		if *sample {
			return true, runSample(os.Stdout, ".")
		}
		return true, run(os.Stdout, ".")
	})
}

// run follows each recipe and plants all its faults.
func run(w io.Writer, root string) error {
	for _, r := range recipes {
		if err := r.holds(w, root, properties+"|^"+r.named+"$"); err != nil {
			return err
		}
		for _, f := range r.faults {
			if err := r.sees(w, root, f, properties); err != nil {
				return err
			}
		}
	}
	return nil
}

// runSample follows the recipe that is built faster, and plants one of its faults, which a property has to
// see although no test mentions it.
func runSample(w io.Writer, root string) error {
	r := &recipes[len(recipes)-1]
	if err := r.holds(w, root, compared+"|^"+r.named+"$"); err != nil {
		return err
	}
	return r.sees(w, root, r.faults[0], compared)
}

// holds follows the recipe and checks that the tests pass.
func (r *recipe) holds(w io.Writer, root, tests string) error {
	failed, out, err := r.try(root, nil, tests)
	switch {
	case err != nil:
		return err
	case len(failed) > 0:
		return fmt.Errorf("with the %s of the recipe fail %s:\n%s", r.name, strings.Join(failed, ", "), out)
	}
	fmt.Fprintf(w, "%s: holds\n", r.name)
	return nil
}

// sees plants a fault and checks that some property fails.
func (r *recipe) sees(w io.Writer, root string, f fault, tests string) error {
	failed, out, err := r.try(root, &f, tests)
	switch {
	case err != nil:
		return err
	case len(failed) == 0:
		return fmt.Errorf("%s: no property sees that %s:\n%s", r.name, f.name, out)
	}
	fmt.Fprintf(w, "%s: that %s is seen by %s\n", r.name, f.name, strings.Join(failed, ", "))
	return nil
}

// try follows the recipe, plants the fault unless it is nil, and returns the tests that fail with their
// output.
func (r *recipe) try(root string, f *fault, tests string) (failed []string, out string, err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return nil, "", err
	}
	sections, err := readRecipe(filepath.Join(root, "internal/tests/structure/recipe/testdata", r.name+".txt"))
	if err != nil {
		return nil, "", err
	}

	s := sources{}
	if err := s.follow(root, sections); err != nil {
		return nil, "", err
	}
	if f != nil {
		if err := s.plant(*f); err != nil {
			return nil, "", err
		}
	}

	dir, err := os.MkdirTemp("", "recipe")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	overlay, err := s.overlay(root, dir)
	if err != nil {
		return nil, "", err
	}
	return runTests(root, dir, overlay, tests)
}

// failedTest matches the top-level tests that fail.
var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// runTests builds and runs tests of the engine. It is an error if they cannot be built, or if they end
// without naming a test that fails.
func runTests(root, dir, overlay, tests string) (failed []string, out string, err error) {
	binary := filepath.Join(dir, "engine.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, "./preemption/engine")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		return nil, "", fmt.Errorf("the recipe cannot be built: %w\n%s", err, text)
	}

	test := exec.Command(binary, "-test.run", tests, "-test.timeout", "10m", "-rapid.checks", "40", "-rapid.nofailfile", "-rapid.shrinktime", "100ms")
	test.Dir = filepath.Join(root, "preemption/engine")
	text, err := test.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, "", err
	}

	for _, m := range failedTest.FindAllSubmatch(text, -1) {
		failed = append(failed, string(m[1]))
	}
	slices.Sort(failed)
	if err != nil && len(failed) == 0 {
		return nil, "", fmt.Errorf("the tests end without a word of which fails: %w\n%s", err, text)
	}
	return failed, string(text), nil
}
