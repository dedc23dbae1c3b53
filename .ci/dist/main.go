// Command dist makes all files of a release of this project.
//
//	go run -C .ci/dist .                             everything, into the folder dist
//	go run -C .ci/dist . -version v0.9.0             a release; otherwise the version is that of the commit
//	go run -C .ci/dist . -twice                      everything twice, to compare all bytes
//	go run -C .ci/dist . -programs kubectl-whatif -platforms linux/amd64,windows/arm64
//
// For each program and platform the folder has an archive and a bill of materials (SPDX). The archive has the
// program, its documentation, and the licences of everything that is in it. The folder also has the page that
// runs kubectl-whatif in a browser, for which the platform is js/wasm, the manifest of the plugin for krew, and
// SHA256SUMS with the checksums of all files. The files in an archive have the time of the commit. The same
// commit, version and release of Go give the same bytes, wherever they are built and whatever an earlier build
// left behind.
//
// The command publishes nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// run makes what the arguments ask for and, with -twice, everything once more.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	var out, version, names, platforms string
	var twice bool
	fs := flag.NewFlagSet("dist", flag.ExitOnError)
	fs.StringVar(&out, "out", "", "the `FOLDER` that is made anew (default: dist at the top of the repository)")
	fs.StringVar(&version, "version", "", "the `VERSION`, like v0.9.0 (default: that of the commit)")
	fs.StringVar(&names, "programs", "", "these programs alone, a `LIST` with commas")
	fs.StringVar(&platforms, "platforms", "", "these platforms alone, a `LIST` like linux/amd64,darwin/arm64")
	fs.BoolVar(&twice, "twice", false, "make everything once more, from a copy of the source and empty caches, and compare the bytes")
	_ = fs.Parse(args) // an error ends the process
	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}

	root, err := top(ctx)
	if err != nil {
		return err
	}
	s, err := sourceOf(ctx, root, version)
	if err != nil {
		return err
	}
	parts, err := chosen(names, platforms)
	if err != nil {
		return err
	}
	if out == "" {
		out = filepath.Join(root, "dist")
	} else if out, err = filepath.Abs(out); err != nil {
		return err
	}

	start := time.Now()
	b := &builder{source: s, parts: parts, out: out, log: stdout}
	if err := b.make(ctx); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: Outrank %s, made in %s\n", out, s.version, time.Since(start).Round(time.Second))

	if !twice {
		return nil
	}
	start = time.Now()
	if err := again(ctx, b); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "the same bytes again, from a copy of the source and empty caches, in %s\n", time.Since(start).Round(time.Second))
	return nil
}

// top returns the folder of the repository.
func top(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOMOD")
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	return filepath.Abs(filepath.Join(filepath.Dir(strings.TrimSpace(string(text))), "..", ".."))
}

// chosen returns the parts with these programs and platforms. An empty list means all of them.
func chosen(names, platforms string) ([]part, error) {
	list := func(text string) []string {
		return slices.DeleteFunc(strings.Split(text, ","), func(s string) bool { return s == "" })
	}
	wanted, on := list(names), list(platforms)
	var parts []part
	used := map[string]bool{}
	for i := range programs {
		p := &programs[i]
		for _, at := range p.platforms {
			if (len(wanted) > 0 && !slices.Contains(wanted, p.name)) || (len(on) > 0 && !slices.Contains(on, at.String())) {
				continue
			}
			parts = append(parts, part{p, at})
			used[p.name], used[at.String()] = true, true
		}
	}

	for _, name := range slices.Concat(wanted, on) {
		if !used[name] {
			return nil, fmt.Errorf("nothing is built of %s: the programs are %s, the platforms of most are %v", name, strings.Join(programNames(), ", "), everywhere)
		}
	}
	return parts, nil
}
