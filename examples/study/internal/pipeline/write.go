package pipeline

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/outrank-go/outrank/examples/study/internal/picture"
	"github.com/outrank-go/outrank/examples/study/internal/store"
	"github.com/outrank-go/outrank/examples/study/internal/tables"
)

// writeFn writes the tables and pictures of all cells.
type writeFn struct{ Job Job }

// ProcessElement writes the files. It is called once, with all cells.
func (f *writeFn) ProcessElement(ctx context.Context, _ int, next func(*[]byte) bool) error {
	study, err := f.Job.study()
	if err != nil {
		return err
	}

	var cells []tables.Cell
	for text := []byte(nil); next(&text); text = nil {
		var c tables.Cell
		if err := json.Unmarshal(text, &c); err != nil {
			return err
		}
		cells = append(cells, c)
	}
	return Write(ctx, f.Job.Out, tables.Of(study, cells))
}

// Write writes tables and pictures into a folder.
func Write(ctx context.Context, out string, r *tables.Result) error {
	s, err := store.Open(ctx, out)
	if err != nil {
		return err
	}
	defer s.Close()

	all, err := r.JSON()
	if err != nil {
		return err
	}
	files := []file{
		{"table.md", r.Markdown()}, {"figures.csv", r.CSV()}, {"waits.csv", r.WaitsCSV()},
		{"failures.csv", r.FailuresCSV()}, {"study.json", all}, {"speed.txt", speed(&r.Speed)},
	}
	for _, p := range picture.Of(r) {
		files = append(files, file{p.Name, p.SVG})
	}

	for _, f := range files {
		if err := s.Write(ctx, s.File(f.name), f.data); err != nil {
			return err
		}
	}
	return nil
}

// file is a file to be written.
type file struct {
	name string
	data []byte
}

// speed writes how fast the runs were. Its file is the only one that depends on the machine.
func speed(s *tables.Speed) []byte {
	if s.Seconds == 0 {
		return []byte("no time was measured\n")
	}
	return fmt.Appendf(nil, "%d runs in %.1f seconds of simulation, %.0f attempts to place a pod a second\n", s.Runs, s.Seconds, float64(s.Attempts)/s.Seconds)
}
