// Package store answers which runs of a study were made before. It keeps each result in a file of its own as
// soon as the run has ended, in a folder of any file system that Beam supports, so that an interrupted study
// can continue from there.
package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/outrank-go/outrank/examples/study/internal/measure"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

// form is the version of the format of results. Change it when earlier results can no longer be used.
const form = "2"

// Store is a folder with results.
type Store struct {
	fs     filesystem.Interface
	folder string
}

// Open opens a folder. [Store.Close] closes it.
func Open(ctx context.Context, folder string) (*Store, error) {
	fs, err := filesystem.New(ctx, folder+"/x")
	if err != nil {
		return nil, err
	}
	return &Store{fs, strings.TrimSuffix(folder, "/")}, nil
}

// Close releases the file system of the store.
func (s *Store) Close() error { return s.fs.Close() }

// Key returns a key for the result of a run, made of everything that determines the result.
func Key(study *spec.Study, cell spec.Cell, seed uint64) (string, error) {
	t, err := study.Trace(cell.Trace)
	if err != nil {
		return "", err
	}

	// The digest identifies the contents of the files, so that their paths do not matter.
	contents := *t
	contents.Nodes, contents.Pods, contents.Dump = "", "", ""
	contents.Source = ""
	text, err := json.Marshal([]any{form, contents, cell, seed})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}

// path returns the path of a result.
func (s *Store) path(key string) string {
	return fmt.Sprintf("%s/runs/%s/%s.json", s.folder, key[:2], key)
}

// Load returns the result of a run. It is nil if there is none that can be used: a file may be cut off, or hold
// another run. A failed run is made again.
func (s *Store) Load(ctx context.Context, key string, cell spec.Cell, seed uint64) *measure.Result {
	data, err := s.Read(ctx, s.path(key))
	if err != nil {
		return nil
	}

	var r measure.Result
	if json.Unmarshal(data, &r) != nil || r.Error != "" || r.Figures == nil || r.Cell.Key() != cell.Key() || r.Seed != seed {
		return nil
	}
	for _, waits := range r.Waits {
		if s := measure.NewSketch(); s.Merge(waits) != nil || s.Count() == 0 {
			return nil
		}
	}
	return &r
}

// Writable checks whether results can be written, before hours go into making them. It checks only folders of
// this machine.
func (s *Store) Writable() error {
	if strings.Contains(s.folder, "://") {
		return nil
	}
	err := os.MkdirAll(s.folder+"/runs", 0o755)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(s.folder+"/runs", "try-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Save stores a result. If the file system cannot rename files, an interruption may leave the file cut off.
func (s *Store) Save(ctx context.Context, key string, r *measure.Result) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return s.Write(ctx, s.path(key), data)
}

// Read returns the contents of a file.
func (s *Store) Read(ctx context.Context, path string) ([]byte, error) {
	f, err := s.fs.OpenRead(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Write writes a file. If the file system can rename files, it writes under another name first.
func (s *Store) Write(ctx context.Context, path string, data []byte) error {
	renamer, ok := s.fs.(filesystem.Renamer)
	written := path
	if ok {
		written += ".part"
	}

	f, err := s.fs.OpenWrite(ctx, written)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil || !ok {
		return err
	}
	return renamer.Rename(ctx, written, path)
}

// Count returns the number of results, including failures.
func (s *Store) Count(ctx context.Context) (int, error) {
	files, err := s.fs.List(ctx, s.folder+"/runs/*/*.json")
	return len(files), err
}

// File returns the path of a file in the store's folder.
func (s *Store) File(name string) string { return s.folder + "/" + name }
