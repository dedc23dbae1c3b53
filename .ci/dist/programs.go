package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/.ci/dist/licence"
)

// platform is a system and a machine for which programs are built.
type platform struct{ system, machine string }

// String returns the platform in a form like linux/amd64.
func (p platform) String() string { return p.system + "/" + p.machine }

// compare puts the platform of this machine first, because its programs make the documents. The others are in the
// order of their names.
func (p platform) compare(q platform) int {
	host := platform{runtime.GOOS, runtime.GOARCH}
	switch {
	case p == q:
		return 0
	case p == host:
		return -1
	case q == host:
		return 1
	}
	return strings.Compare(p.String(), q.String())
}

// suffix returns the ending of programs' names on the platform.
func (p platform) suffix() string {
	if p.system == "windows" {
		return ".exe"
	}
	return ""
}

// everywhere are the platforms of a program that people run on their own machines.
var everywhere = []platform{
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"linux", "amd64"}, {"linux", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// servers are the platforms of a program that runs in a cluster.
var servers = []platform{{"linux", "amd64"}, {"linux", "arm64"}}

// program is a program of a release.
type program struct {
	name string
	// module is the folder of the program's module. pkg is the package as the module names it: a folder in it, or
	// a path in a module that it requires.
	module, pkg string
	platforms   []platform
	// beside are programs that its archives also hold, because it runs them.
	beside []string
	// tags are build tags, separated by commas.
	tags string
	// variables returns further variables that the linker sets; nil for none.
	variables func(context.Context, *source, *program) ([]string, error)
	// documents makes the files that its archives have beside it, by name; nil for none. host is the program for
	// this machine.
	documents func(ctx context.Context, host string) (map[string][]byte, error)
}

// programs are the programs of a release, in the order in which they are built.
var programs = []program{
	{name: "kubectl-whatif", module: "examples/kubectl-whatif", pkg: ".", platforms: append(slices.Clone(everywhere), browser), documents: whatifDocuments},
	{name: "whatif-mcp", module: "examples/kubectl-whatif/whatif-mcp", pkg: ".", platforms: everywhere, beside: []string{"kubectl-whatif"}},
	{name: "kubectl-whatif-devices", module: "examples/kubectl-whatif/devices", pkg: ".", platforms: everywhere},
	{name: "simulator", module: "examples/simulator", pkg: ".", platforms: everywhere},
	{name: "replay", module: ".", pkg: "./examples/replay", platforms: everywhere},
	{name: "study", module: "examples/study", pkg: ".", platforms: everywhere},
	// Like kube-scheduler itself it is for linux alone.
	{name: "kube-scheduler-outrank", module: "examples/kubescheduler", pkg: "./cmd/kube-scheduler-outrank",
		platforms: servers, variables: schedulerVariables},
	// The same scheduler for clusters of v1.36.
	{name: "kube-scheduler-outrank-v1.36", module: "examples/kubescheduler/v136", pkg: licence.Own + "/examples/kubescheduler/cmd/kube-scheduler-outrank",
		tags: "kube136", platforms: servers, variables: schedulerVariables},
}

func programNames() (names []string) {
	for i := range programs {
		names = append(names, programs[i].name)
	}
	return names
}

// named returns the program of a name.
func named(name string) *program {
	for i := range programs {
		if programs[i].name == name {
			return &programs[i]
		}
	}
	panic("no program is called " + name)
}

// whatifDocuments returns the manual and the completions, which the program itself makes.
func whatifDocuments(ctx context.Context, host string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, args := range map[string]string{
		"kubectl-whatif.1":                "man",
		"clusterrole.yaml":                "clusterrole",
		"completions/kubectl-whatif.bash": "completion bash",
		"completions/kubectl-whatif.fish": "completion fish",
		"completions/kubectl-whatif.ps1":  "completion powershell",
		"completions/_kubectl-whatif":     "completion zsh",
	} {
		text, err := exec.CommandContext(ctx, host, strings.Fields(args)...).Output()
		if err != nil {
			return nil, fmt.Errorf("kubectl-whatif %s: %w", args, err)
		}
		files[name] = text
	}
	return files, nil
}

// schedulerVariables returns the variables with the version that kube-scheduler reports: the version of
// Kubernetes that it is built from, with Outrank's behind a plus sign.
func schedulerVariables(ctx context.Context, s *source, p *program) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{with .Replace}}{{.Version}}{{else}}{{.Version}}{{end}}", "k8s.io/kubernetes")
	cmd.Dir = s.path(p.module)
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the version of k8s.io/kubernetes: %w", err)
	}
	kubernetes := strings.TrimSpace(string(text))
	numbers := strings.Split(strings.TrimPrefix(kubernetes, "v"), ".")
	if len(numbers) < 3 {
		return nil, fmt.Errorf("k8s.io/kubernetes has the version %q", kubernetes)
	}
	state := "clean"
	if s.dirty {
		state = "dirty"
	}
	const pkg = "k8s.io/component-base/version."
	return []string{
		pkg + "gitVersion=" + kubernetes + s.behindPlus(),
		pkg + "gitMajor=" + numbers[0], pkg + "gitMinor=" + numbers[1],
		pkg + "gitCommit=" + s.revision, pkg + "gitTreeState=" + state,
		pkg + "buildDate=" + s.time.Format("2006-01-02T15:04:05Z"),
	}, nil
}
