package pipeline

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/outrank-go/outrank/examples/study/internal/measure"
	"github.com/outrank-go/outrank/examples/study/internal/progress"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/examples/study/internal/store"
)

// runFn makes the runs. A run that fails is a result like another.
type runFn struct {
	Job Job

	study *spec.Study
	cells []spec.Cell
	store *store.Store
}

// Setup is called once for each instance.
func (f *runFn) Setup(ctx context.Context) (err error) {
	if f.study, err = f.Job.study(); err != nil {
		return err
	}
	f.cells = f.study.Cells()
	f.store, err = store.Open(ctx, f.Job.Out)
	return err
}

// ProcessElement makes one run, or finds what it gave.
func (f *runFn) ProcessElement(ctx context.Context, e element, emit func(int, []byte)) error {
	if e.Cell < 0 || e.Cell >= len(f.cells) {
		return fmt.Errorf("cell %d of %d", e.Cell, len(f.cells))
	}
	cell := f.cells[e.Cell]
	key, err := store.Key(f.study, cell, e.Seed)
	if err != nil {
		return err
	}
	r := f.store.Load(ctx, key)
	if found := r != nil; !found {
		if r, err = measure.Run(ctx, f.study, cell, e.Seed); err != nil {
			return err
		}
		if err := f.store.Save(ctx, key, r); err != nil {
			return err
		}
		progress.Ran(r.Error != "", r.Seconds)
	} else {
		progress.Found()
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	emit(e.Cell, text)
	return nil
}

// Teardown is called in the end.
func (f *runFn) Teardown() error {
	if f.store == nil {
		return nil
	}
	return f.store.Close()
}
