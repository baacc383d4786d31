# expect: not-submitted
# The lab's folder is a link to that of another student.
hand_in s002
mkdir -p "$to/class/s001"
ln -s ../s002/$lab "$to/class/s001/$lab"
