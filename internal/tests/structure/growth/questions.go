package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// whatif is a question of kubectl-whatif. It is asked about dumps of three sizes, each twice as large as the one
// before, with twice as many pods that wait.
//
// Work that is linear doubles. A turn may ask every node, so that work for each pair of a waiting pod and a node
// becomes four times as much. It is little for one pair, and the whole grows less at these sizes. That pods are
// counted again for each pair shows in the growth, or in the number of steps.
type whatif struct {
	// name is the name of the question, or one that begins with it and a space.
	name string
	// allowed is by how much the work may grow between two sizes. most is how many million statements may run at
	// the largest size: half as many again as when that was written.
	allowed, most float64
	// args are the arguments, in which NODE, POD, WAITS and BUDGET stand for names of the dump.
	args string
}

const described = "--cpu 4 --memory 20Gi --priority 50000 "

// The growth that is allowed. A question about one pod asks each node once. The others let pods take turns.
const (
	linear = 2.3
	turns  = 3.5
	// A drain lets all waiting pods take their turns once for each round, and there are more rounds where budgets
	// hold more pods. The report and the search for nodes that can be emptied end after a number of turns.
	drains = 5.0
)

var questions = []whatif{
	{"report", drains, 6100, ""},
	{"diff", drains, 12200, "--diff DUMP"},
	{"pod", linear, 25, described},
	{"pod pending", linear, 26, "--pending WAITS"},
	{"pod replacements", linear, 31, described + "--replacements 2"},
	{"pod trace", linear, 25, described + "--trace"},
	{"pod exact", linear, 25, described + "--exact"},
	{"pod html", linear, 28, described + "-o html"},
	{"pending", turns, 60, "--pending all"},
	{"pending html", turns, 60, "--pending all -o html"},
	{"pending without", turns, 70, "--pending all --without NODE"},
	{"group", linear, 23, "--release v1.37,GenericWorkload=true --pending default/gang-1"},
	{"replicas", linear, 35, "--cpu 1 --memory 2Gi --class online --replicas 50"},
	{"whyNot", linear, 23, described + "--why-not NODE"},
	{"onNode", linear, 21, described + "--on-node NODE"},
	{"across", linear, 25, described + "--across"},
	{"moreNodes", turns, 700, "--more-nodes NODE"},
	{"leastPriority", linear, 27, "--cpu 4 --memory 20Gi --least-priority"},
	{"largest", linear, 27, described + "--largest"},
	{"emptiable", drains, 1900, "--emptiable all"},
	{"whyPreempted", turns, 90, "--why-preempted POD"},
	{"classes", turns, 100, "--set-class batch=200000"},
	{"change recreate", turns, 150, "--set-class batch=200000 --recreate --add-node NODE"},
	{"change delete", turns, 100, "--delete POD"},
	{"change budget", turns, 100, "--set-budget BUDGET=0"},
	{"without", drains, 190, "--without NODE"},
	{"without a third", drains, 2100, "--without topology.kubernetes.io/zone=eu-1b"},
}

// sizes are the numbers of nodes.
var sizes = []int{500, 1000, 2000}

const (
	program = "examples/kubectl-whatif"
	// counting are the packages in which the work of a question lies. Reading a dump is counted elsewhere.
	counting = module + "," + module + "/pdb," + module + "/priority," + module + "/kubeletadmit," + module + "/preemption," +
		module + "/preemption/engine/...," + module + "/preemption/scheduler/...," + module + "/preemption/planner/...," +
		module + "/preemption/explain," + module + "/internal/filter," + module + "/internal/fit," + module + "/examples/kubectl-whatif/..."
)

// asked asks every question at each size, and reports whether the work of none grows too fast.
func asked(w io.Writer, dir string, verbose bool) (bool, error) {
	if err := everyQuestion(); err != nil {
		return false, err
	}
	at, dump := filepath.Join(dir, "whatif"), filepath.Join(dir, "largedump")
	if _, err := output("go", "build", "-C", program, "-cover", "-covermode=count", "-coverpkg="+counting, "-o", at, "."); err != nil {
		return false, err
	}
	if _, err := output("go", "build", "-C", program, "-o", dump, "./largedump"); err != nil {
		return false, err
	}

	work := make(map[string][]float64, len(questions))
	for _, nodes := range sizes {
		text, err := output(dump, "-nodes", fmt.Sprint(nodes), "-pods", "8", "-waiting", fmt.Sprint(nodes/25))
		if err != nil {
			return false, err
		}
		d := dumped{program: at, dir: dir, file: filepath.Join(dir, "dump.json"), names: namesIn(text)}
		if err := os.WriteFile(d.file, []byte(text), 0o600); err != nil {
			return false, err
		}
		for _, q := range questions {
			steps, err := d.ask(q)
			if err != nil {
				return false, fmt.Errorf("%s at %d nodes: %w", q.name, nodes, err)
			}
			work[q.name] = append(work[q.name], steps)
		}
	}
	return judge(w, work, verbose), nil
}

// judge prints the work of the questions, and reports whether none grows too fast.
func judge(w io.Writer, work map[string][]float64, verbose bool) bool {
	ok := true
	for _, q := range questions {
		steps := work[q.name]
		first, second := steps[1]/steps[0], steps[2]/steps[1]
		fast := max(first, second) > q.allowed || steps[2] > q.most*1e6
		if fast || verbose {
			fmt.Fprintf(w, "whatif: %-42s allowed %5.1f  steps %5.1f and %4.1f, to %.1f of %.0f million\n", q.name, q.allowed, first, second, steps[2]/1e6, q.most)
		}
		ok = ok && !fast
	}
	fmt.Fprintf(w, "%d questions of whatif counted at %v nodes\n", len(questions), sizes)
	return ok
}

// dumped is a dump that questions are asked about.
type dumped struct {
	program, dir, file string
	// names has what stands for the names in arguments.
	names *strings.Replacer
}

// ask asks a question, and returns the number of statements that run.
func (d *dumped) ask(q whatif) (float64, error) {
	counters, err := os.MkdirTemp(d.dir, "counters")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(counters)

	cluster := d.file
	if strings.HasPrefix(q.name, "group") {
		cluster += ",internal/tests/structure/growth/testdata/gang.json"
	}
	args := append([]string{"--cluster", cluster, "--workers", "1"}, strings.Fields(d.names.Replace(strings.ReplaceAll(q.args, "DUMP", d.file)))...)
	cmd := exec.Command(d.program, args...)
	// One goroutine counts at a time, so that no count is lost.
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+counters, "GOMAXPROCS=1")
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, said.String())
	}
	return stepsIn(counters)
}

// The first of these is the pod that another one could push out, and so on.
var (
	inDump = map[string]*regexp.Regexp{
		"POD":    regexp.MustCompile(`"name": "(app-\d+-[0-9a-f]{5})",\s*"namespace": "([^"]*)"`),
		"WAITS":  regexp.MustCompile(`"name": "(wait-\d+-[0-9a-f]+)",\s*"namespace": "([^"]*)"`),
		"BUDGET": regexp.MustCompile(`"kind": "PodDisruptionBudget",\s*"metadata": \{[^{}]*"name": "([^"]*)",\s*"namespace": "([^"]*)"`),
		"NODE":   regexp.MustCompile(`"name": "(node-00003)"`),
	}
	inquiryOf = regexp.MustCompile(`(?m)^\task\w+\s+inquiry = "(\w+)"`)
)

// namesIn finds names in a dump.
func namesIn(dump string) *strings.Replacer {
	var pairs []string
	for _, word := range slices.Sorted(maps.Keys(inDump)) {
		found := append(inDump[word].FindStringSubmatch(dump), "", "", "")
		name := found[1]
		if found[2] != "" {
			name = found[2] + "/" + name
		}
		pairs = append(pairs, word, name)
	}
	return strings.NewReplacer(pairs...)
}

// everyQuestion returns an error for a question of the program that is not asked here.
func everyQuestion() error {
	source, err := os.ReadFile(filepath.Join(program, "inquiry.go"))
	if err != nil {
		return err
	}
	known := inquiryOf.FindAllStringSubmatch(string(source), -1)
	if len(known) == 0 {
		return fmt.Errorf("no question is found in %s/inquiry.go", program)
	}
	for _, k := range known {
		if !slices.ContainsFunc(questions, func(q whatif) bool { return q.name == k[1] || strings.HasPrefix(q.name, k[1]+" ") }) {
			return fmt.Errorf("question %s is not asked at three sizes", k[1])
		}
	}
	return nil
}
