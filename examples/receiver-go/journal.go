package main

import (
	"bufio"
	"errors"
	"io"
	"os"
)

// Journal is a file to which whole lines are added. A line is on the disk when Add returns. In production, use a table
// of your database instead.
type Journal struct {
	file *os.File
	size int64
}

// OpenJournal opens or creates a journal and passes its lines to read. A line without its end was cut by a crash before
// Add returned. It is removed.
func OpenJournal(path string, read func(line []byte) error) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	journal := &Journal{file: file}
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return journal, journal.cut()
		}
		if err == nil {
			err = read(line)
		}
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		journal.size += int64(len(line))
	}
}

// Add writes a line and waits until it is on the disk. After an error the line is not in the journal.
func (j *Journal) Add(line []byte) error {
	_, err := j.file.Write(append(line, '\n'))
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return errors.Join(err, j.cut())
	}
	j.size += int64(len(line)) + 1
	return nil
}

// Close closes the file.
func (j *Journal) Close() error {
	return j.file.Close()
}

// cut removes what stands behind the last whole line.
func (j *Journal) cut() error {
	if err := j.file.Truncate(j.size); err != nil {
		return err
	}
	_, err := j.file.Seek(j.size, io.SeekStart)
	return err
}
