// Package store answers which runs of a study were made before. It keeps each result in a file of
// its own as soon as the run has ended, in a folder of any file system that Beam knows. So a study
// that was interrupted goes on from there.
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

// form names the form of results. It changes when results of earlier programs cannot be used any more.
const form = "2"

// Store is a folder.
type Store struct {
	fs     filesystem.Interface
	folder string
}

// Open opens a folder. [Store.Close] ends it.
func Open(ctx context.Context, folder string) (*Store, error) {
	fs, err := filesystem.New(ctx, folder+"/x")
	if err != nil {
		return nil, err
	}
	return &Store{fs, strings.TrimSuffix(folder, "/")}, nil
}

// Close ends the use of the store.
func (s *Store) Close() error { return s.fs.Close() }

// Key identifies the result of a run by everything that decides about it.
func Key(study *spec.Study, cell spec.Cell, seed uint64) (string, error) {
	t, err := study.Trace(cell.Trace)
	if err != nil {
		return "", err
	}

	// The digest identifies the contents of the files, wherever they are.
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

// Load returns the result of a run, nil if there is none that can be used. A file
// that was cut off or holds something else, another run for example, cannot be used. A run that
// failed is tried again.
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

// Writable tries whether results can be written, before hours go into making them. Only a
// folder of this machine is tried.
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

// Save keeps a result. The file is whole or, where the file system cannot rename, cut off.
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

// Write writes a file, under another name first where the file system can rename.
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

// Count returns the number of results, failures among them.
func (s *Store) Count(ctx context.Context) (int, error) {
	files, err := s.fs.List(ctx, s.folder+"/runs/*/*.json")
	return len(files), err
}

// File returns the path of a file in the store's folder.
func (s *Store) File(name string) string { return s.folder + "/" + name }
