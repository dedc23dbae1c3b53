package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"golang.org/x/term"

	"github.com/outrank-go/outrank/examples/study/internal/pipeline"
	"github.com/outrank-go/outrank/examples/study/internal/progress"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/examples/study/internal/store"
)

// sample is the study that comes with the program.
//
//go:embed studies/sample.yaml
var sample []byte

// work reads the study, and does what is asked for.
func work(ctx context.Context, opts *options, stdout, stderr io.Writer) error {
	study, err := read(ctx, opts)
	if err != nil {
		return err
	}
	if opts.dryRun {
		return dryRun(ctx, study, stdout)
	}
	out := opts.out
	if out == "" {
		out = filepath.Join("results", study.Name)
	}
	if err := execute(ctx, study, out, stderr); err != nil {
		return err
	}
	return show(ctx, out, stdout)
}

// read reads the study, and notes what its traces hold, so that results of other contents
// are not taken for its own.
func read(ctx context.Context, opts *options) (*spec.Study, error) {
	data, folder := sample, "."
	if opts.study != "" {
		var err error
		if data, err = os.ReadFile(opts.study); err != nil {
			return nil, err
		}
		folder = filepath.Dir(opts.study)
	}
	study, err := spec.Read(data, folder)
	if err != nil {
		return nil, err
	}
	return study, store.Digest(ctx, study)
}

// execute runs the pipeline.
func execute(ctx context.Context, study *spec.Study, out string, stderr io.Writer) error {
	job, err := pipeline.New(study, out)
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	pipeline.Build(s, job)
	begun := time.Now()
	terminal := false
	if f, ok := stderr.(*os.File); ok {
		terminal = term.IsTerminal(int(f.Fd()))
	}
	progress.Reset()
	stop := progress.Show(stderr, terminal, func() string {
		return progress.Line(study.Runs(), elsewhere(ctx, out), time.Since(begun))
	})
	defer stop()
	return beamx.Run(ctx, p)
}

// elsewhere counts the results of workers in other processes, where none are made in this
// one.
func elsewhere(ctx context.Context, out string) int {
	if runs, _, known, _ := progress.Counts(); runs+known > 0 {
		return 0
	}
	s, err := store.Open(ctx, out)
	if err != nil {
		return 0
	}
	defer s.Close()
	n, err := s.Count(ctx)
	if err != nil {
		return 0
	}
	return n
}

// show prints the table, and says where everything is.
func show(ctx context.Context, out string, stdout io.Writer) error {
	s, err := store.Open(ctx, out)
	if err != nil {
		return err
	}
	defer s.Close()
	table, err := s.Read(ctx, s.File("table.md"))
	if err != nil {
		return err
	}
	failures, err := s.Read(ctx, s.File("failures.csv"))
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s\nAll figures, waits, failures and pictures are in %s\n", table, out)
	if lines := countLines(failures); lines > 1 {
		return fmt.Errorf("%d %w", lines-1, errRunsFailed)
	}
	return nil
}

func countLines(data []byte) int {
	n := 0
	for _, b := range data {
		if b == '\n' {
			n++
		}
	}
	return n
}
