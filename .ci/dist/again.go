package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// again makes everything once more, from a copy of the source in another folder and with an empty build cache,
// and compares all files.
func again(ctx context.Context, first *builder) (err error) {
	dir, err := os.MkdirTemp("", "dist-again")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	s := *first.source
	s.root = filepath.Join(dir, "source")
	if err := copySource(ctx, first.source.root, s.root); err != nil {
		return err
	}
	second := &builder{source: &s, parts: first.parts, out: filepath.Join(dir, "dist"), cache: filepath.Join(dir, "cache"), log: io.Discard}
	if err := second.make(ctx); err != nil {
		return err
	}
	return same(first.out, second.out)
}

// copySource copies the files that git knows or would add.
func copySource(ctx context.Context, from, to string) error {
	list, err := exec.CommandContext(ctx, "git", "-C", from, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) {
			continue // git knows it, but it was removed without a commit
		} else if err != nil {
			return err
		}
		path := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// filesOf reads all files of a folder, by their names in it.
func filesOf(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files[name], err = os.ReadFile(path)
		return err
	})
	return files, err
}

// same returns an error that names every file in which the two folders differ.
func same(a, b string) error {
	one, err := filesOf(a)
	if err != nil {
		return err
	}
	two, err := filesOf(b)
	if err != nil {
		return err
	}

	var wrong []error
	for _, name := range sortedKeys(one) {
		if other, ok := two[name]; !ok {
			wrong = append(wrong, fmt.Errorf("%s was not made again", name))
		} else if !bytes.Equal(one[name], other) {
			wrong = append(wrong, fmt.Errorf("%s has other bytes the second time: %s, %s", name, checksum(one[name]), checksum(other)))
		}
	}
	for _, name := range sortedKeys(two) {
		if _, ok := one[name]; !ok {
			wrong = append(wrong, fmt.Errorf("%s was made the second time alone", name))
		}
	}
	return errors.Join(wrong...)
}
