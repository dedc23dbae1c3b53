package controlplane

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Program is a program to build.
type Program struct {
	// Name is the name of the file.
	Name string
	// Package is the import path of the program.
	Package string
	// Module is the folder of the module with the package. It is empty for the current module.
	Module string
	// Static makes a program that needs no other files of the system.
	Static bool
}

// Kubernetes are the programs of a control plane, in the order in which they depend on each other.
var Kubernetes = []Program{
	{Name: "etcd", Package: "go.etcd.io/etcd/server/v3"},
	{Name: "kube-scheduler", Package: "k8s.io/kubernetes/cmd/kube-scheduler"},
	{Name: "kube-apiserver", Package: "k8s.io/kubernetes/cmd/kube-apiserver"},
	{Name: "kubectl", Package: "k8s.io/kubernetes/cmd/kubectl"},
	{Name: "kube-controller-manager", Package: "k8s.io/kubernetes/cmd/kube-controller-manager"},
}

// Versions are the versions that go.mod pins, and from which programs are built.
type Versions struct{ Kubernetes, Etcd, Go string }

// String returns all versions, separated by commas.
func (v Versions) String() string {
	return fmt.Sprintf("Kubernetes %s, etcd %s, %s", v.Kubernetes, v.Etcd, v.Go)
}

// Folder returns the name of a folder for programs of these versions.
func (v Versions) Folder() string {
	return fmt.Sprintf("k8s-%s-etcd-%s-%s", v.Kubernetes, v.Etcd, v.Go)
}

// Builder builds programs in the module of the current folder.
type Builder struct {
	// Dir is the folder for the built programs.
	Dir      string
	Versions Versions
	// Say prints a line of progress.
	Say func(format string, args ...any)
}

// ReadVersions asks the go command for the versions that go.mod pins.
func ReadVersions(ctx context.Context) (Versions, error) {
	out, err := goCommand(ctx, "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes", "go.etcd.io/etcd/server/v3")
	if errors.Is(err, ErrNoGo) {
		return Versions{}, err
	}
	if err != nil {
		return Versions{}, fmt.Errorf("%w; run this in the folder of its go.mod", err)
	}
	version, err := goCommand(ctx, "env", "GOVERSION")
	if err != nil {
		return Versions{}, err
	}
	v := strings.Fields(out)
	if len(v) != 2 {
		return Versions{}, fmt.Errorf("go list -m said %q, not two versions", out)
	}
	return Versions{Kubernetes: v[0], Etcd: v[1], Go: strings.TrimSpace(version)}, nil
}

// Once builds the programs that do not exist yet.
func (b *Builder) Once(ctx context.Context, programs []Program) error {
	var missing []Program
	for _, p := range programs {
		if _, err := os.Stat(b.File(p.Name)); err != nil {
			missing = append(missing, p)
		}
	}
	if len(missing) > 0 {
		b.Say("building %d programs of %v into %s; this takes some 15 minutes once", len(missing), b.Versions, b.Dir)
	}
	return b.Always(ctx, missing)
}

// Always builds all programs. The go command takes unchanged ones from its cache.
func (b *Builder) Always(ctx context.Context, programs []Program) error {
	if err := os.MkdirAll(b.Dir, 0o755); err != nil {
		return err
	}
	for i, p := range programs {
		begun := time.Now()
		b.Say("building %s (%d of %d)", p.Name, i+1, len(programs))
		if err := b.build(ctx, p); err != nil {
			return err
		}
		b.Say("built %s in %v", p.Name, time.Since(begun).Round(time.Second))
	}
	return nil
}

// File returns the path of a program.
func (b *Builder) File(name string) string { return filepath.Join(b.Dir, name) }

// build builds a program. It writes to another file and renames that, so that a file that exists is complete.
// It reports every minute that the compiler is still working.
func (b *Builder) build(ctx context.Context, p Program) error {
	done := make(chan struct{})
	defer close(done)
	go func() {
		for begun := time.Now(); ; {
			select {
			case <-done:
				return
			case <-time.After(time.Minute):
				b.Say("still building %s after %v", p.Name, time.Since(begun).Round(time.Minute))
			}
		}
	}()

	fresh := b.File(p.Name) + ".new"
	fresh, err := filepath.Abs(fresh)
	if err != nil {
		return err
	}

	// A static program is built with the flags of published programs, so that its packages are compiled only
	// once for both.
	var variables, flags []string
	if p.Static {
		variables, flags = []string{"CGO_ENABLED=0"}, []string{"-trimpath"}
	}
	args := slices.Concat([]string{"build", "-C", p.module()}, flags, []string{"-ldflags", b.linking(), "-o", fresh, p.Package})
	if _, err := goCommandWith(ctx, variables, args...); err != nil {
		os.Remove(fresh)
		return fmt.Errorf("%s: %w", p.Name, lacking(ctx, p, err))
	}
	return os.Rename(fresh, b.File(p.Name))
}

func (p *Program) module() string { return cmp.Or(p.Module, ".") }

// linking returns flags for the linker that leave out debug symbols and set the version.
func (b *Builder) linking() string {
	const at = "k8s.io/component-base/version."
	part := strings.SplitN(strings.TrimPrefix(b.Versions.Kubernetes, "v"), ".", 3)
	flags := []string{"-s", "-w", "-X", at + "gitVersion=" + b.Versions.Kubernetes, "-X", at + "gitMajor=" + part[0]}
	if len(part) > 1 {
		flags = append(flags, "-X", at+"gitMinor="+part[1])
	}
	return strings.Join(append(flags, "-X", at+"gitTreeState=clean"), " ")
}

var (
	// ErrNoGo is the error that there is no go command.
	ErrNoGo = errors.New("the go command is not in PATH; this program builds the control plane with it")
	// ErrNoModules is the error that modules of a program are neither in the module cache nor available from
	// the module proxy.
	ErrNoModules = errors.New("modules are missing")
)

// goCommand runs the go command. When the context ends, it ends the command and everything that it has started.
func goCommand(ctx context.Context, args ...string) (string, error) {
	return goCommandWith(ctx, nil, args...)
}

// goCommandWith runs the go command with additional environment variables.
func goCommandWith(ctx context.Context, variables []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), variables...)
	cmd.SysProcAttr = apart()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = 10 * time.Second
	var out, trouble bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &trouble
	err := cmd.Run()
	switch {
	case err == nil:
		return out.String(), nil
	case ctx.Err() != nil:
		return "", errors.Join(ctx.Err(), err)
	case errors.Is(err, exec.ErrNotFound):
		return "", ErrNoGo
	}
	return "", fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(trouble.Bytes()))
}

// noProxy switches off the module proxy of the go command, whose messages about missing modules then contain
// it.
const noProxy = "GOPROXY=off"

// lacking returns the error of a failed build, as ErrNoModules if modules are missing. To find that out, it
// lists the package's modules without a proxy. If one is missing, the go command says that it may not look it
// up.
func lacking(ctx context.Context, of Program, failed error) error {
	_, err := goCommandWith(ctx, []string{noProxy}, "list", "-C", of.module(), "-deps", of.Package)
	if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), noProxy) {
		return failed
	}
	proxy, _ := goCommand(ctx, "env", "GOPROXY")
	return fmt.Errorf("%w: the module cache does not have all modules of %s, and the proxies (GOPROXY=%s) did not give them; "+
		"where they are in reach, go mod download fills the cache: %w", ErrNoModules, of.Package, strings.TrimSpace(proxy), failed)
}
