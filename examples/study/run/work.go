package run

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"golang.org/x/term"

	"github.com/outrank-go/outrank/examples/study/internal/pipeline"
	"github.com/outrank-go/outrank/examples/study/internal/progress"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/examples/study/internal/store"
	"github.com/outrank-go/outrank/examples/study/studies"
)

// work reads the study, and runs the command.
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
		out = filepath.Join("results", folderName(study.Name))
	}
	job, err := pipeline.New(study, out)
	if err != nil {
		return err
	}
	job.AtOnce = opts.atOnce
	job.Part, job.Parts = opts.part.k, opts.part.n
	job.Together = pipeline.Together(cmp.Or(opts.atOnce, runtime.GOMAXPROCS(0)))

	// Hours may go into the runs, so that the folder is checked first.
	if err := writable(ctx, out); err != nil {
		return err
	}
	if err := execute(ctx, study, job, stderr); err != nil {
		return cause(err, opts.verbose)
	}
	if job.Parts > 0 {
		return showPart(&opts.part, out, stdout)
	}
	return show(ctx, out, stdout)
}

// writable checks whether results can be written.
func writable(ctx context.Context, out string) error {
	s, err := store.Open(ctx, out)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Writable(); err != nil {
		return fmt.Errorf("results cannot be written: %w", err)
	}
	return nil
}

// cause returns the innermost error, without the description of the pipeline that Beam puts around it. With all
// it returns err itself.
func cause(err error, all bool) error {
	text := strings.TrimSpace(err.Error())
	at := strings.LastIndex(text, "failed:\n")
	if all || at < 0 {
		return err
	}
	return fmt.Errorf("%s (-verbose has all that Beam says)", text[at+len("failed:\n"):])
}

// showPart names the folder of a part. It returns an error if runs of the part have failed in this process.
func showPart(p *part, out string, stdout io.Writer) error {
	if _, err := fmt.Fprintf(stdout, "Part %s is in %s; the tables are made without -part, once all parts are there\n", p, out); err != nil {
		return err
	}
	if _, failed, _, _ := progress.Counts(); failed > 0 {
		return fmt.Errorf("%d %w", failed, errPartFailed)
	}
	return nil
}

// folderName converts a study's name to the name of a folder.
func folderName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '-'
	}, name)
	if strings.HasPrefix(plain, ".") {
		return "study" + plain
	}
	return plain
}

// read reads the study, and records the contents of its traces, so that results for other contents are not
// mistaken for its own.
func read(ctx context.Context, opts *options) (*spec.Study, error) {
	data, folder := studies.Sample, "."
	if opts.study != "" {
		var err error
		if data, err = os.ReadFile(opts.study); err != nil {
			return nil, err
		}
		folder = filepath.Dir(opts.study)
	}
	if opts.data != "" {
		folder = opts.data
	}

	study, err := spec.Read(data, folder)
	if err != nil {
		return nil, err
	}
	return study, store.Digest(ctx, study)
}

// execute runs the pipeline.
func execute(ctx context.Context, study *spec.Study, job pipeline.Job, stderr io.Writer) error {
	p, s := beam.NewPipelineWithRoot()
	pipeline.Build(s, job)

	begun := time.Now()
	terminal := false
	if f, ok := stderr.(*os.File); ok {
		terminal = term.IsTerminal(int(f.Fd()))
	}
	progress.Reset()
	stop := progress.Show(stderr, terminal, func() string {
		return progress.Line(job.Runs(study), elsewhere(ctx, job.Out), time.Since(begun))
	})

	err := beamx.Run(ctx, p)
	stop()
	if err == nil {
		fmt.Fprint(stderr, progress.Busy(time.Since(begun)))
	}
	return err
}

// elsewhere counts the results of workers in other processes. It returns 0 if this process makes runs itself.
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

// show prints the table, and the paths of all files.
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
	if _, err := fmt.Fprintf(stdout, "%s\nAll figures, waits, failures and pictures are in %s\n", table, out); err != nil {
		return err
	}
	if lines := countLines(failures); lines > 1 {
		return fmt.Errorf("%d %w", lines-1, errRunsFailed)
	}
	return nil
}

// countLines counts line breaks.
func countLines(data []byte) int {
	n := 0
	for _, b := range data {
		if b == '\n' {
			n++
		}
	}
	return n
}
