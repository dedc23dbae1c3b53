package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

const (
	// runFolders is the pattern of the names of the folders of runs.
	runFolders = "run-*"
	// runLock is a file in the folder of a run that is locked during the run.
	runLock = "lock"
	// keptRuns is the number of folders of earlier runs that are kept, the newest ones.
	keptRuns = 3
)

// newRun makes the folder of a run. The folder is locked until the returned file is closed or this process
// ends.
func newRun(in string) (dir string, lock *os.File, err error) {
	if err = os.MkdirAll(in, 0o755); err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp(in, runFolders); err != nil {
		return "", nil, err
	}
	if lock, err = os.Create(filepath.Join(dir, runLock)); err != nil {
		return "", nil, err
	}
	return dir, lock, lockNow(lock)
}

// lockNow locks a file, or returns an error at once if another process has it locked.
func lockNow(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// clearRuns removes the folders of finished runs, except for the newest ones. It returns the names of the
// removed folders.
func clearRuns(in string) (removed []string, err error) {
	all, err := filepath.Glob(filepath.Join(in, runFolders))
	if err != nil {
		return nil, err
	}
	var over []string
	for _, dir := range all {
		is, err := isOver(dir)
		if err != nil {
			return nil, err
		}
		if is {
			over = append(over, dir)
		}
	}

	slices.SortFunc(over, func(a, b string) int { return modified(b).Compare(modified(a)) })
	for _, dir := range over[min(keptRuns, len(over)):] {
		if err := os.RemoveAll(dir); err != nil {
			return removed, fmt.Errorf("an earlier run: %w", err)
		}
		removed = append(removed, filepath.Base(dir))
	}
	return removed, nil
}

// isOver reports whether no process has locked the folder of a run.
func isOver(dir string) (bool, error) {
	lock, err := os.Open(filepath.Join(dir, runLock))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // a version of this program without locks made the folder
	}
	if err != nil {
		return false, err
	}
	defer lock.Close()
	err = lockNow(lock)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// modified returns the time at which something was last added to a folder. It is zero if the folder is gone.
func modified(dir string) time.Time {
	info, err := os.Stat(dir)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
