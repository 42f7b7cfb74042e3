#!/bin/sh
# mailbox-prepend.sh MAILBOX [MESSAGE]: puts one message on top of a flat-file mailbox.
# MESSAGE is a file with the message, or the message itself; without it, standard input is read. Locking, idempotency
# by msg-id and exit codes are those of "rouse mailfile prepend": 0 prepended or duplicate, 2 bad message, 4 msg-id used
# with other content, 7 lock timeout.
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in /*) self=$link ;; *) self=${self%/*}/$link ;; esac
done
case $self in */*) here=${self%/*} ;; *) here=. ;; esac
case $# in
  1) exec "$here/rouse" mailfile prepend --mailbox "$1" ;;
  2)
    if [ "$2" = - ] || [ -e "$2" ]; then
      exec "$here/rouse" mailfile prepend --mailbox "$1" --message-file "$2"
    fi
    printf '%s\n' "$2" | "$here/rouse" mailfile prepend --mailbox "$1"
    ;;
  *)
    echo "usage: mailbox-prepend.sh MAILBOX [MESSAGE-FILE-OR-TEXT]" >&2
    exit 2
    ;;
esac
